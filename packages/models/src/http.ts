import { ModelError } from '@slowwave/fusion';
import { withDeadline } from './deadline.ts';
import { fromConnection, fromStatus, invalidResponse, requireHeaderKey } from './errors.ts';
import { type ErrorBody, readErrorBody } from './refusal.ts';

/** Largest answer of a language model that is read, in bytes. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Error bodies are read for what refusal.ts looks for in them. */
const MAX_ERROR_BYTES = 64 * 1024;

type Fetch = typeof globalThis.fetch;

/** Passes bytes through until `maxBytes`, then fails the stream with a ModelError. */
function limiter(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > maxBytes) controller.error(invalidResponse(`answer larger than ${maxBytes} bytes`, false));
      else controller.enqueue(chunk);
    },
  });
}

/**
 * A `fetch` whose bodies are bounded and that follows no redirect: prompts go to the host that was configured and to no other.
 * For clients that bring their own protocol.
 */
export function createBoundedFetch(maxBytes: number, fetch: Fetch = globalThis.fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (!response.body) return response;
    const body = response.body.pipeThrough(limiter(maxBytes));
    return new Response(body, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  let seen = 0;
  for await (const chunk of response.body) {
    seen += chunk.byteLength;
    if (seen > maxBytes) throw invalidResponse(`answer larger than ${maxBytes} bytes`, false);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Parses without letting the parser's message out, since it quotes the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an error body says, read with a limit; one that cannot be read says nothing. */
async function errorBodyOf(response: Response): Promise<ErrorBody> {
  return readErrorBody(parseJson(await readText(response, MAX_ERROR_BYTES).catch(() => '')));
}

/** Joins a base URL with or without a closing slash and a path that begins with one. */
export function joinUrl(baseUrl: string, path: string): string {
  return baseUrl.replace(/\/+$/, '') + path;
}

/** What a body that is not JSON is, by its content type. */
function kindOf(contentType: string): string {
  if (/^text\/html\b/i.test(contentType)) return 'a web page, not JSON';
  if (/^text\/event-stream\b/i.test(contentType)) return 'a stream, not JSON';
  return 'not JSON';
}

export interface JsonPost {
  url: string;
  apiKey?: string;
  body: unknown;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
}

/**
 * Posts JSON and reads a JSON answer under one deadline.
 * @returns the parsed body of a 2xx answer.
 * @throws {ModelError} for every failure; see errors.ts.
 */
export async function postJson(post: JsonPost): Promise<unknown> {
  requireHeaderKey(post.apiKey ?? '');
  return withDeadline(post.timeoutMs, post.signal, async (signal) => {
    let text: string;
    let type = '';
    try {
      const response = await fetch(post.url, {
        method: 'POST',
        redirect: 'manual',
        signal,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          ...(post.apiKey ? { authorization: `Bearer ${post.apiKey}` } : {}),
        },
        body: JSON.stringify(post.body),
      });
      if (!response.ok) {
        const { errorCode, about } = await errorBodyOf(response);
        throw fromStatus(response.status, { headers: response.headers, errorCode, about });
      }
      type = response.headers.get('content-type') ?? '';
      text = await readText(response, post.maxBytes);
    } catch (error) {
      if (signal.aborted || error instanceof ModelError) throw error;
      throw fromConnection(error);
    }
    const parsed = parseJson(text);
    if (parsed === undefined) throw invalidResponse(`the body is ${kindOf(type)}`);
    return parsed;
  });
}
