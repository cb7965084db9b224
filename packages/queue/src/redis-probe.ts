import { Redis } from 'ioredis';
import { type ConnectOptions, type Diagnosis, isNetworkCode } from './engine.ts';
import { errorLabel } from './safe-error.ts';

/** One connection attempt, without any reconnecting behind our back. */
export async function probe(url: string, options: ConnectOptions): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: options.timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // connect() rejects with "closed"; the cause is in the event before it.
  let cause: unknown;
  client.on('error', (error: unknown) => {
    cause ??= error;
  });
  try {
    await within(
      options.timeoutMs,
      client.connect().then(() => client.ping()),
    );
  } catch (error) {
    throw cause ?? error;
  } finally {
    client.disconnect();
  }
}

/** connectTimeout ends with the TCP connection; a server that then says nothing needs a limit too. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), ms);
  });
  // After the limit nobody waits for the work any more.
  work.catch(() => {});
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

const LOGIN_REPLIES = ['WRONGPASS', 'NOAUTH', 'NOPERM'];

/** Of a server that is up and does not work: it lacks memory or disk, is a copy of another, busy, or part of a cluster. */
const OUTAGE_REPLIES = [
  'OOM',
  'READONLY',
  'MISCONF',
  'BUSY',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'MOVED',
  'ASK',
  'TRYAGAIN',
  'NOREPLICAS',
];

/** The first word of an error reply is its code in the protocol; that of a command within a script stands behind a dash. */
function wordOf(message: string): string | null {
  const inner = /\s-([A-Z]+)\s/.exec(message)?.[1] ?? '';
  if (OUTAGE_REPLIES.includes(inner)) return inner;
  return /^[A-Z]+/.exec(message)?.[0] ?? null;
}

/** Why a server cannot be used, from what the driver threw. */
export function diagnose(error: unknown): Diagnosis {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown };
  if (isNetworkCode(code)) return { reason: 'unreachable', detail: code };
  if (name === 'ReplyError') {
    const word = wordOf(String(message));
    if (word !== null && LOGIN_REPLIES.includes(word)) return { reason: 'refused_login', detail: word };
    if (word === 'LOADING') return { reason: 'unreachable', detail: word };
    return { reason: OUTAGE_REPLIES.includes(word ?? '') ? 'out_of_service' : 'error', detail: word };
  }
  return { reason: 'unreachable', detail: errorLabel(error) };
}
