import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CompletionRequest } from '@slowwave/fusion';
import { costOf, priceOf } from '@slowwave/models';
import { createSleepModel } from './sleep-model.ts';

const MESSAGES = '/v1/messages';
const BATCHES = `${MESSAGES}/batches`;
const SMALLEST_CACHED = 512;

type Fate = 'succeeded' | 'errored' | 'expired' | 'canceled';

interface Body {
  model: string;
  max_tokens: number;
  system?: string | { text: string; cache_control?: unknown }[];
  messages: { role: 'user' | 'assistant'; content: string }[];
  output_config?: { format?: unknown };
}

interface Usage {
  input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  output_tokens: number;
}

/** The vendor's own count: tokens by what they cost, and the sum of the bill in nano-dollars. */
export interface Bill {
  directCalls: number;
  batchedCalls: number;
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  nanos: bigint;
}

/** A batch as the server has it. */
export interface HeldBatch {
  id: string;
  createdAt: number;
  requests: { custom_id: string; params: Body }[];
  state: 'in_progress' | 'canceling' | 'ended';
  results: Record<string, unknown>[];
}

export interface BatchesServer {
  url: string;
  billed: Bill;
  batches: HeldBatch[];
  /** Requests that came one by one. */
  direct: Body[];
  /** How often a path was asked for, by method and kind. */
  counts: Record<'create' | 'list' | 'retrieve' | 'results' | 'cancel' | 'messages', number>;
  /** While true, batches go on without ending. */
  hold: boolean;
  /** What becomes of a question; default: it is answered. */
  fate: (request: { custom_id: string; params: Body }, index: number) => Fate;
  /** The order of the results; default: backwards. */
  order: (lines: Record<string, unknown>[]) => Record<string, unknown>[];
  /** Of the next creates: `drop` takes the batch and says nothing, a number refuses with that status. */
  onCreate: ('drop' | 'deny' | number)[];
  /** Whether the list shows what it holds. */
  lists: boolean;
  /** Ends everything that is held. */
  release(): Promise<void>;
  stop(): Promise<void>;
}

const tokens = (text: string): number => Math.ceil(text.length / 4);

const textOfSystem = (system: Body['system']): string =>
  typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('');

/** A local server that speaks the Messages API one by one and in batches, and keeps its own bill. @param now epoch ms */
export async function startBatchesServer(now: () => number): Promise<BatchesServer> {
  const model = createSleepModel();
  const cached = new Set<string>();
  let serial = 0;

  function usageOf(body: Body, text: string): Usage {
    const prefix = `${textOfSystem(body.system)}${JSON.stringify(body.output_config?.format ?? null)}`;
    const rest = tokens(body.messages.map(({ content }) => content).join('\n'));
    const wantsCache = Array.isArray(body.system) && body.system.some((block) => block.cache_control);
    const size = tokens(prefix);
    const output_tokens = Math.max(1, tokens(text));
    const none = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens };
    if (!wantsCache || size < SMALLEST_CACHED) return { ...none, input_tokens: size + rest };
    const name = `${body.model} ${prefix}`;
    if (cached.has(name)) return { ...none, input_tokens: rest, cache_read_input_tokens: size };
    cached.add(name);
    return { ...none, input_tokens: rest, cache_creation_input_tokens: size };
  }

  async function answer(body: Body, batch: boolean): Promise<Record<string, unknown>> {
    const request: CompletionRequest = {
      system: textOfSystem(body.system),
      messages: body.messages,
      ...(body.output_config ? { schema: {} } : {}),
    };
    const response = await model.provider.complete(request);
    const text = response.content.map((block) => block.text).join('');
    const usage = usageOf(body, text);
    const use = {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_input_tokens,
      cacheWriteTokens: usage.cache_creation_input_tokens,
      batch,
    };
    const { billed } = server;
    billed[batch ? 'batchedCalls' : 'directCalls'] += 1;
    billed.inputTokens += use.inputTokens;
    billed.cacheReadTokens += use.cacheReadTokens;
    billed.cacheWriteTokens += use.cacheWriteTokens;
    billed.outputTokens += use.outputTokens;
    const price = priceOf({}, body.model, now());
    if (price) billed.nanos += costOf(price, use);
    return {
      id: `msg_${++serial}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [{ type: 'text', text }],
      stop_reason: response.stopReason,
      stop_sequence: null,
      usage,
    };
  }

  async function end(batch: HeldBatch): Promise<void> {
    const lines: Record<string, unknown>[] = [];
    for (const [index, request] of batch.requests.entries()) {
      const fate = batch.state === 'canceling' ? 'canceled' : server.fate(request, index);
      const result =
        fate === 'succeeded'
          ? { type: fate, message: await answer(request.params, true) }
          : fate === 'errored'
            ? { type: fate, error: { type: 'error', error: { type: 'api_error', message: 'no' } } }
            : { type: fate };
      lines.push({ custom_id: request.custom_id, result });
    }
    batch.results = server.order(lines);
    batch.state = 'ended';
  }

  function view(batch: HeldBatch): Record<string, unknown> {
    const total = batch.requests.length;
    const ended = batch.state === 'ended';
    const request_counts = {
      processing: ended ? 0 : total,
      succeeded: ended ? total : 0,
      errored: 0,
      canceled: 0,
      expired: 0,
    };
    return {
      id: batch.id,
      type: 'message_batch',
      processing_status: batch.state,
      request_counts,
      created_at: new Date(batch.createdAt).toISOString(),
      expires_at: new Date(batch.createdAt + 86_400_000).toISOString(),
      ended_at: ended ? new Date(now()).toISOString() : null,
      archived_at: null,
      cancel_initiated_at: null,
      results_url: ended ? `${server.url}${BATCHES}/${batch.id}/results` : null,
    };
  }

  const refused = (status: number) => ({
    status,
    value: { type: 'error', error: { type: 'api_error', message: 'no' } },
  });

  async function create(body: { requests: HeldBatch['requests'] }, response: ServerResponse) {
    server.counts.create += 1;
    const how = server.onCreate.shift();
    if (typeof how === 'number') return refused(how);
    if (how === 'deny') {
      response.destroy();
      return null;
    }
    const batch: HeldBatch = {
      // No two servers give the same one.
      id: `msgbatch_${randomUUID()}`,
      createdAt: now(),
      requests: body.requests,
      state: 'in_progress',
      results: [],
    };
    server.batches.push(batch);
    if (!server.hold) await end(batch);
    if (how === 'drop') {
      response.destroy();
      return null;
    }
    return { status: 200, value: view(batch) };
  }

  async function route(request: IncomingMessage, response: ServerResponse, body: unknown) {
    const { pathname } = new URL(request.url ?? '', 'http://fake');
    if (pathname === MESSAGES) {
      server.counts.messages += 1;
      server.direct.push(body as Body);
      return { status: 200, value: await answer(body as Body, false) };
    }
    if (pathname === BATCHES && request.method === 'POST')
      return create(body as { requests: HeldBatch['requests'] }, response);
    if (pathname === BATCHES) {
      server.counts.list += 1;
      const data = server.lists ? [...server.batches].reverse().map(view) : [];
      return { status: 200, value: { data, has_more: false, first_id: null, last_id: null } };
    }
    const [id, what] = pathname.slice(BATCHES.length + 1).split('/');
    const batch = server.batches.find((one) => one.id === id);
    if (!batch) return refused(404);
    if (what === 'results') {
      server.counts.results += 1;
      response.writeHead(200, { 'content-type': 'application/x-jsonl' });
      response.end(batch.results.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return null;
    }
    if (what === 'cancel') {
      server.counts.cancel += 1;
      if (batch.state === 'in_progress') batch.state = 'canceling';
      return { status: 200, value: view(batch) };
    }
    server.counts.retrieve += 1;
    return { status: 200, value: view(batch) };
  }

  const http = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
      const text = Buffer.concat(chunks).toString('utf8');
      const said = await route(request, response, text === '' ? null : JSON.parse(text));
      if (said === null) return;
      response.writeHead(said.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(said.value));
    } catch {
      response.destroy();
    }
  });
  const server: BatchesServer = {
    url: '',
    billed: {
      directCalls: 0,
      batchedCalls: 0,
      inputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      nanos: 0n,
    },
    batches: [],
    direct: [],
    counts: { create: 0, list: 0, retrieve: 0, results: 0, cancel: 0, messages: 0 },
    hold: false,
    fate: () => 'succeeded',
    order: (lines) => [...lines].reverse(),
    onCreate: [],
    lists: true,
    async release() {
      server.hold = false;
      for (const batch of server.batches) if (batch.state !== 'ended') await end(batch);
    },
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return server;
}
