import type { CallOptions, Operation } from './call.ts';
import { type Lists, OPERATIONS, type Operations } from './generated/operations.ts';
import type { ReadConsolidationAnswer } from './generated/types.ts';
import { SlowwaveProblem } from './problem.ts';
import { type ClientOptions, createSender } from './send.ts';

/** One function for each operation of the service, and what is made of several. */
export interface Client extends Operations {
  /** The items of lists, page after page. */
  all: Lists;
  /**
   * Waits for the end of a run that was asked for.
   * @throws SlowwaveProblem `unknown_run`; `timeout` when it has not ended in time
   */
  waitForRun(
    of: { runId: string; user: string; tenant?: string },
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<ReadConsolidationAnswer>;
}

const WAIT_MAX_SECONDS = 30;
const TIMEOUT_MS = 10 * 60_000;
type Input = Readonly<Record<string, unknown>>;

/**
 * A client of one service, with one token.
 * Its functions throw SlowwaveProblem for what the service refuses, and when it cannot be reached.
 * @throws TypeError for an address that is none
 */
export function createClient(options: ClientOptions): Client {
  const send = createSender(options);
  const operations = Object.entries(OPERATIONS) as [string, Operation][];
  const calls = Object.fromEntries(
    operations.map(([name, operation]) => [
      name,
      (...given: [Input?, CallOptions?] | [CallOptions?]) => {
        const [input, callOptions] = takesInput(operation)
          ? (given as [Input?, CallOptions?])
          : [{}, given[0]];
        return send(operation, input ?? {}, callOptions);
      },
    ]),
  ) as unknown as Operations;
  const all = Object.fromEntries(
    operations
      .filter(([, { list }]) => list !== null)
      .map(([name, operation]) => [
        name,
        (input: Input = {}, callOptions?: CallOptions) => itemsOf(send, operation, input, callOptions),
      ]),
  ) as unknown as Lists;

  return {
    ...calls,
    all,
    async waitForRun(of, { timeoutMs = TIMEOUT_MS, signal } = {}) {
      const ends = Date.now() + timeoutMs;
      for (;;) {
        const leftSeconds = Math.max(0, (ends - Date.now()) / 1_000);
        const waitSeconds = Math.min(WAIT_MAX_SECONDS, leftSeconds);
        const run = await calls.readConsolidation(
          { ...of, waitSeconds },
          signal === undefined ? {} : { signal },
        );
        if (run.finished) return run;
        if (Date.now() >= ends) {
          throw new SlowwaveProblem(0, 'timeout', 'the run has not ended in time; it goes on', {
            retryable: true,
          });
        }
      }
    },
  };
}

function takesInput({ params, query, body }: Operation): boolean {
  return params.length > 0 || query.length > 0 || body !== 'none';
}

async function* itemsOf(
  send: ReturnType<typeof createSender>,
  operation: Operation,
  input: Input,
  options?: CallOptions,
): AsyncIterable<unknown> {
  let cursor: unknown;
  do {
    const page = (await send(operation, { ...input, cursor }, options)) as Record<string, unknown>;
    yield* page[operation.list ?? ''] as unknown[];
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
