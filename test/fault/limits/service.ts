import { PRODUCER, type ProcessFixture, startProcess, WORKER } from '../../fixtures/processes.ts';
import { until } from '../../fixtures/wait.ts';

const TOKEN = 'operator-token-of-the-limits';
/** Longest wait for an answer about health, ms; a check gives up sooner by itself. */
const ASK_MS = 60_000;
const START_MS = 180_000;

/** What a process says about itself. */
export interface Readiness {
  ready: boolean;
  /** Checks of the producer that are not well (`database`, `queue`, `ticks`); reasons of a worker. */
  because: string[];
}

/** A process of the product, started as its user would. */
export interface Part {
  process: ProcessFixture;
  url: string;
  readiness(): Promise<Readiness>;
  /** Resident memory in bytes, and the longest that the event loop stood still since this was asked last, ms. */
  strain(): Promise<{ residentBytes: number; lagMs: number }>;
}

/** A producer and workers as processes of their own. */
export interface Service {
  producer: Part;
  workers: Part[];
  /** Waits until every process says that it is ready. */
  allReady(limitMs?: number): Promise<void>;
  /** Starts one more worker. */
  addWorker(): Promise<Part>;
  /** All printed lines of all processes. */
  output(): string;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  databaseUrl: string;
  queueUrl: string;
  /** Of the keys in Redis; null: the product's own. */
  prefix: string | null;
  /** Base of the fake model; without it steps that ask a model are skipped. */
  modelUrl?: string;
  workers?: number;
  /** Settings besides; all others have the product's defaults. */
  env?: Record<string, string>;
}

/** Starts a producer and workers from what the build made and waits until they are up. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const env = environmentOf(options);
  const started: ProcessFixture[] = [];
  const stop = async () => {
    await Promise.all(started.map((process) => process.stop()));
  };
  const addWorker = async () => {
    const process = startProcess(WORKER, env);
    started.push(process);
    const port = await lineOf(process, 'worker ready', ({ healthPort }) => healthPort);
    return partOf(process, `http://127.0.0.1:${port}`, reasonsOfWorker);
  };
  try {
    const process = startProcess(PRODUCER, env);
    started.push(process);
    const url = await lineOf(process, 'producer ready', (line) => line.url);
    const producer = partOf(process, String(url), checksOfProducer);
    const workers: Part[] = [];
    for (let n = 0; n < (options.workers ?? 1); n += 1) workers.push(await addWorker());
    return {
      producer,
      workers,
      allReady: (limitMs = START_MS) => untilReady([producer, ...workers], limitMs),
      async addWorker() {
        const worker = await addWorker();
        workers.push(worker);
        return worker;
      },
      output: () => started.map((process) => process.output()).join(''),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function environmentOf({
  databaseUrl,
  queueUrl,
  prefix,
  modelUrl,
  env,
}: ServiceOptions): Record<string, string> {
  const model: Record<string, string> = modelUrl
    ? {
        SLOWWAVE_MODEL_PROVIDER: 'anthropic',
        SLOWWAVE_MODEL: 'fake',
        ANTHROPIC_API_KEY: 'test-key-1234',
        ANTHROPIC_BASE_URL: modelUrl,
      }
    : {};
  return {
    DATABASE_URL: databaseUrl,
    QUEUE_URL: queueUrl,
    ...(prefix === null ? {} : { SLOWWAVE_QUEUE_PREFIX: prefix }),
    ...model,
    SLOWWAVE_OPERATOR_TOKEN: TOKEN,
    SLOWWAVE_HTTP_PORT: '0',
    SLOWWAVE_WORKER_HEALTH_PORT: '0',
    ...env,
  };
}

async function lineOf(
  process: ProcessFixture,
  message: string,
  pick: (line: Record<string, unknown>) => unknown,
): Promise<unknown> {
  const line = await until(
    message,
    () => {
      if (process.exited()) throw new Error(`ended before "${message}": ${process.output().slice(-500)}`);
      return process.logged().find(({ msg }) => msg === message);
    },
    START_MS,
  );
  return pick(line);
}

function partOf(process: ProcessFixture, url: string, because: (body: unknown) => string[]): Part {
  const ask = (path: string) =>
    fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
      signal: AbortSignal.timeout(ASK_MS),
    });
  return {
    process,
    url,
    async readiness() {
      const answer = await ask('/health/ready');
      return { ready: answer.status === 200, because: because(await answer.json()) };
    },
    async strain() {
      const text = await (await ask('/metrics')).text();
      return {
        residentBytes: numberOf(text, 'process_resident_memory_bytes'),
        lagMs: numberOf(text, 'nodejs_eventloop_lag_max_seconds') * 1_000,
      };
    },
  };
}

function numberOf(metrics: string, name: string): number {
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics);
  if (!found) throw new Error(`no number of the name ${name}`);
  return Number(found[1]);
}

function checksOfProducer(body: unknown): string[] {
  const { checks } = body as { checks: Record<string, { ok: boolean }> };
  return Object.keys(checks).filter((name) => !checks[name]!.ok);
}

function reasonsOfWorker(body: unknown): string[] {
  return (body as { reasons: string[] }).reasons;
}

async function untilReady(parts: readonly Part[], limitMs: number): Promise<void> {
  let last: Readiness[] = [];
  const all = async () => {
    last = await Promise.all(parts.map((part) => part.readiness()));
    return last.every(({ ready }) => ready);
  };
  await until('every process to be ready', all, limitMs).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(last.flatMap(({ because }) => because))}`);
  });
}
