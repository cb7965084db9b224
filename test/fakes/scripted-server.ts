import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../fixtures/wait.ts';

/** One request as the fake saw it. */
export interface RecordedCall {
  /** Counts the calls of one path: 0 for the first since the start or the last `reset`. */
  index: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The body as text, and parsed; `json` is null when it is not JSON. */
  text: string;
  json: Record<string, unknown> | null;
}

/**
 * What the fake does with one call. The same words for every protocol; each fake says them in its own.
 * `delayMs` holds the answer back.
 */
export type Behaviour =
  | { kind: 'text'; text: string; thinkingFirst?: boolean; stopReason?: string; delayMs?: number }
  | { kind: 'json'; value: unknown; thinkingFirst?: boolean; delayMs?: number }
  | { kind: 'refusal' }
  | { kind: 'truncated'; text?: string }
  /** `echo` puts the whole request into the error's message, as real endpoints do with the part they dislike. */
  | {
      kind: 'error';
      status: number;
      retryAfter?: string;
      echo?: boolean;
      errorCode?: string;
      message?: string;
      /** In place of the error in the words of the protocol. */
      body?: unknown;
      /** The parameter that the error names. */
      param?: string;
      location?: string;
    }
  | { kind: 'hang' }
  /** Headers and half of an answer, then the connection is reset; or headers and half of an answer, then nothing. */
  | { kind: 'reset' }
  | { kind: 'stall' }
  /** Status 200 and what the function makes of the call, as JSON. */
  | { kind: 'answer'; value: (call: RecordedCall) => unknown; delayMs?: number }
  /** Status 200 and this body, as it stands. */
  | { kind: 'raw'; body: string; contentType?: string };

export type BehaviourKind = Behaviour['kind'];

/** One behaviour for all calls, one per call (the last one repeats), or a function of the call. */
export type Script = Behaviour | Behaviour[] | ((call: RecordedCall) => Behaviour | Promise<Behaviour>);

export interface FakeServer {
  /** Without a closing slash. */
  url: string;
  calls: RecordedCall[];
  /** Replaces the script of a path, of the first one when none is named. */
  use(script: Script, path?: string): void;
  /** Forgets the calls. */
  reset(): void;
  /** Resolves when that many calls have arrived. @throws after `limitMs` (default 5 s). */
  waitForCalls(count: number): Promise<void>;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Route {
  /** Exact path of the requests it answers. */
  path: string;
  dialect: Dialect;
  script: Script;
}

/** How one protocol words a behaviour that ends in an answer. */
export interface Dialect {
  text(behaviour: Behaviour & { kind: 'text' }, call: RecordedCall): unknown;
  refusal(call: RecordedCall): unknown;
  truncated(text: string, call: RecordedCall): unknown;
  error(status: number, message: string, errorCode: string | undefined, param: string | undefined): unknown;
  /** Response headers that the protocol always sends. */
  headers(call: RecordedCall): Record<string, string>;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function record(request: IncomingMessage): Promise<Omit<RecordedCall, 'index'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString('utf8');
  let json: Record<string, unknown> | null = null;
  try {
    json = JSON.parse(text);
  } catch {
    // Recorded as text only.
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return { method: request.method ?? '', path: request.url ?? '', headers, text, json };
}

function answerOf(dialect: Dialect, behaviour: Behaviour, call: RecordedCall): Answer {
  const json = (status: number, value: unknown, headers: Record<string, string> = {}): Answer => ({
    status,
    headers: { 'content-type': 'application/json', ...dialect.headers(call), ...headers },
    body: JSON.stringify(value),
  });
  switch (behaviour.kind) {
    case 'json':
      return json(
        200,
        dialect.text({ ...behaviour, kind: 'text', text: JSON.stringify(behaviour.value) }, call),
      );
    case 'answer':
      return json(200, behaviour.value(call));
    case 'refusal':
      return json(200, dialect.refusal(call));
    case 'truncated':
      return json(200, dialect.truncated(behaviour.text ?? '{"summary":"cut in the mid', call));
    case 'error': {
      const { status, errorCode, param } = behaviour;
      const message = behaviour.echo ? `cannot use this request: ${call.text}` : (behaviour.message ?? 'no');
      return json(status, behaviour.body ?? dialect.error(status, message, errorCode, param), {
        ...(behaviour.retryAfter === undefined ? {} : { 'retry-after': behaviour.retryAfter }),
        ...(behaviour.location === undefined ? {} : { location: behaviour.location }),
      });
    }
    case 'raw':
      return {
        status: 200,
        headers: { 'content-type': behaviour.contentType ?? 'application/json' },
        body: behaviour.body,
      };
    case 'text':
      return json(200, dialect.text(behaviour, call));
    default:
      return json(200, dialect.text({ kind: 'text', text: 'half of an answer that never ends' }, call));
  }
}

async function respond(dialect: Dialect, behaviour: Behaviour, call: RecordedCall, response: ServerResponse) {
  if (behaviour.kind === 'hang') return;
  if ('delayMs' in behaviour && behaviour.delayMs) await pause(behaviour.delayMs);
  const { status, headers, body } = answerOf(dialect, behaviour, call);
  if (behaviour.kind === 'reset' || behaviour.kind === 'stall') {
    response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
    response.write(body.slice(0, Math.floor(body.length / 2)), () => {
      if (behaviour.kind === 'reset') response.socket?.resetAndDestroy();
    });
    return;
  }
  response.writeHead(status, headers);
  response.end(body);
}

async function behave(script: Script, call: RecordedCall): Promise<Behaviour> {
  if (typeof script === 'function') return script(call);
  if (!Array.isArray(script)) return script;
  const behaviour = script[Math.min(call.index, script.length - 1)];
  if (!behaviour) throw new Error('the script of the fake server is empty');
  return behaviour;
}

export interface ServerOptions {
  /** How many calls are remembered, the last ones; all of them by default. */
  keptCalls?: number;
  /** Told of each call when its answer has left whole, or when its connection is gone before. */
  onEnd?: (call: RecordedCall, isWhole: boolean) => void;
  /** Answers calls of other paths than those of the routes, in the words of the first route; null: there is no such path. */
  otherwise?: (call: RecordedCall) => Promise<Behaviour | null>;
}

/** A server on loopback and a free port that answers as the scripts of its routes say, and records every call. */
export async function startScriptedServer(
  routes: Route[],
  { keptCalls = Number.POSITIVE_INFINITY, onEnd, otherwise }: ServerOptions = {},
): Promise<FakeServer> {
  const scripts = new Map(routes.map((route) => [route.path, route.script]));
  const seenOf = new Map<string, number>();
  let calls: RecordedCall[] = [];

  const server = createServer(async (request, response) => {
    try {
      const seen = await record(request);
      const call = { ...seen, index: seenOf.get(seen.path) ?? 0 };
      seenOf.set(seen.path, call.index + 1);
      calls.push(call);
      if (calls.length > keptCalls) calls.shift();
      if (onEnd) response.once('close', () => onEnd(call, response.writableFinished));
      const route = routes.find(({ path }) => path === call.path);
      const script = scripts.get(call.path);
      if (!route || script === undefined) {
        const behaviour = (await otherwise?.(call)) ?? null;
        if (behaviour !== null) return await respond(routes[0]!.dialect, behaviour, call, response);
        response.writeHead(404, { 'content-type': 'application/json' });
        response.end('{"error":{"type":"not_found_error","message":"no such path"}}');
        return;
      }
      await respond(route.dialect, await behave(script, call), call, response);
    } catch {
      // A client that went away, or a script that threw: the connection says it.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    get calls() {
      return calls;
    },
    use(script, path = routes[0]?.path ?? '') {
      if (!scripts.has(path)) throw new Error(`the fake server has no path ${path}`);
      scripts.set(path, script);
    },
    reset() {
      calls = [];
      seenOf.clear();
    },
    async waitForCalls(count) {
      await until(`${count} calls of the server`, () => calls.length >= count);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
