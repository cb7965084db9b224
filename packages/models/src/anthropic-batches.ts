import type Anthropic from '@anthropic-ai/sdk';
import { ModelError } from '@slowwave/fusion';
import {
  type AnthropicOptions,
  bodyOf,
  classify,
  createClient,
  DEFAULT_BASE_URL,
  readAnswer,
} from './anthropic-messages.ts';
import type { Batches, BatchRequest, BatchResult, BatchState } from './batches.ts';
import { withDeadline } from './deadline.ts';
import { invalidResponse, timedOut } from './errors.ts';
import { createBoundedFetch } from './http.ts';
import { isCacheable, prefixName, withCache } from './prompt-cache.ts';
import { isRecord, tokenCount } from './request.ts';

/** Results of one batch that are read at most, in bytes. */
const MAX_RESULTS_BYTES = 1024 * 1024 * 1024;
/** A batch is large: sending one and reading its results may take this long. */
const LONG_MS = 10 * 60_000;
const PAGE_SIZE = 100;
const PAGES_MAX = 50;
/** From so many requests with one prefix on it is cached: their order in time is not ours, so that several may come before it is there. */
const CACHED_FROM = 4;
const BATCH_ID = /^[\w-]{1,200}$/;
const OUTCOMES: ReadonlySet<unknown> = new Set(['errored', 'expired', 'canceled']);

type Body = Anthropic.MessageCreateParamsNonStreaming;

/** Results are fetched from an address that an answer names: the key and what is asked for go to the configured host and no other. */
function fetchWithin(origin: string, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (new URL(url).origin !== origin)
      return Promise.reject(invalidResponse('the results are said to be on another host', false));
    return fetch(input, init);
  };
}

interface Asked {
  custom_id: string;
  params: Body;
}

const paramsOf = (requests: readonly BatchRequest[]): Asked[] =>
  requests.map(({ id, body }) => ({ custom_id: id, params: JSON.parse(body) as Body }));

/** A prefix that many requests of a batch begin with is put into the cache where the provider would keep it. */
function cached(parsed: Asked[]): Asked[] {
  const names = new Map<string, number>();
  for (const { params } of parsed) {
    if (isCacheable(params)) names.set(prefixName(params), (names.get(prefixName(params)) ?? 0) + 1);
  }
  if (names.size === 0) return parsed;
  return parsed.map((one) =>
    (names.get(prefixName(one.params)) ?? 0) >= CACHED_FROM ? { ...one, params: withCache(one.params) } : one,
  );
}

function readState(batch: unknown): BatchState {
  if (!isRecord(batch) || typeof batch.id !== 'string' || !BATCH_ID.test(batch.id))
    throw invalidResponse('the body is not a batch');
  const counts = isRecord(batch.request_counts) ? Object.values(batch.request_counts) : [];
  const createdAt = typeof batch.created_at === 'string' ? Date.parse(batch.created_at) : Number.NaN;
  if (Number.isNaN(createdAt)) throw invalidResponse('the batch does not say when it was made');
  return {
    id: batch.id,
    ended: batch.processing_status === 'ended',
    requests: counts.reduce<number>((sum, count) => sum + tokenCount(count), 0),
    createdAt,
  };
}

/** @returns null for a line that names no request */
function readResult(line: unknown): BatchResult | null {
  if (!isRecord(line) || typeof line.custom_id !== 'string' || !BATCH_ID.test(line.custom_id)) return null;
  const id = line.custom_id;
  const result = isRecord(line.result) ? line.result : {};
  if (OUTCOMES.has(result.type)) return { id, outcome: result.type as 'errored' | 'expired' | 'canceled' };
  if (result.type !== 'succeeded') return { id, outcome: 'unreadable' };
  try {
    return { id, outcome: 'answered', answer: readAnswer(result.message, '') };
  } catch {
    return { id, outcome: 'unreadable' };
  }
}

/** Message Batches of Claude: half the price, within 24 hours. */
export function createAnthropicBatches(options: AnthropicOptions): Batches {
  const { origin } = new URL(options.baseUrl ?? DEFAULT_BASE_URL);
  const fetch = fetchWithin(origin, createBoundedFetch(MAX_RESULTS_BYTES));
  const connect = createClient({ ...options, timeoutMs: LONG_MS }, fetch);
  const asked = (requests: readonly BatchRequest[]) =>
    options.promptCache === false ? paramsOf(requests) : cached(paramsOf(requests));

  async function call<T>(
    timeoutMs: number,
    work: (client: Anthropic, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const client = await connect();
    return withDeadline(timeoutMs, undefined, async (signal) => {
      try {
        return await work(client, signal);
      } catch (error) {
        if (signal.aborted && !(error instanceof ModelError)) throw error;
        throw classify(error);
      }
    });
  }

  /** One deadline for the whole stream, the reader's own work included. */
  async function* results(id: string): AsyncIterable<BatchResult | null> {
    const client = await connect();
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), LONG_MS);
    try {
      const lines = await client.messages.batches.results(id, undefined, { signal: controller.signal });
      for await (const line of lines) yield readResult(line);
    } catch (error) {
      throw controller.signal.aborted ? timedOut(LONG_MS) : classify(error);
    } finally {
      clearTimeout(timer);
      controller.abort();
    }
  }

  return {
    bodyOf: (model, request) => JSON.stringify(bodyOf(model, request)),
    api: {
      results,
      create: (requests) =>
        call(LONG_MS, async (client, signal) =>
          readState(await client.messages.batches.create({ requests: asked(requests) }, { signal })),
        ),
      retrieve: (id) =>
        call(options.timeoutMs, async (client, signal) =>
          readState(await client.messages.batches.retrieve(id, undefined, { signal })),
        ),
      list: (since) =>
        call(options.timeoutMs, async (client, signal) => {
          const found: BatchState[] = [];
          let page = await client.messages.batches.list({ limit: PAGE_SIZE }, { signal });
          for (let pages = 1; ; pages += 1) {
            const states = page.data.map(readState);
            found.push(...states.filter(({ createdAt }) => createdAt >= since));
            const isPast = states.some(({ createdAt }) => createdAt < since);
            if (isPast || !page.hasNextPage()) return found;
            if (pages === PAGES_MAX) throw invalidResponse('more batches than are looked through', false);
            page = await page.getNextPage();
          }
        }),
      async cancel(id) {
        await call(options.timeoutMs, (client, signal) =>
          client.messages.batches.cancel(id, undefined, { signal }),
        );
      },
    },
  };
}
