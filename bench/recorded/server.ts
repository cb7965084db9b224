import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { createAnthropicProvider, type MessagesBody, type Recording } from '@slowwave/models';

/** Four characters are a token, as everywhere where no tokenizer is at hand. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);
const TIMEOUT_MS = 30_000;

/** Speaks the Messages API on loopback and replays recorded answers; a request that has none gets 404. */
export interface RecordedServer {
  url: string;
  stop(): Promise<void>;
}

export async function startRecordedServer(recording: Recording): Promise<RecordedServer> {
  const server = createServer(async (request, response) => {
    const { status, value } = answerOf(recording, await readBody(request).catch(() => null));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<MessagesBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as MessagesBody;
}

const errorOf = (type: string, message: string) => ({ type: 'error', error: { type, message } });

function answerOf(recording: Recording, body: MessagesBody | null): { status: number; value: unknown } {
  if (!body || !Array.isArray(body.messages))
    return { status: 400, value: errorOf('invalid_request_error', 'no request of the Messages API') };
  const text = recording.answerTo(body);
  if (text === null) return { status: 404, value: errorOf('not_found_error', 'no recorded answer') };
  const isCut = tokensOf(text) > body.max_tokens;
  return {
    status: 200,
    value: {
      id: 'msg_recorded',
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [{ type: 'text', text: isCut ? text.slice(0, body.max_tokens * 4) : text }],
      stop_reason: isCut ? 'max_tokens' : 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: tokensOf(JSON.stringify([body.system, body.messages, body.output_config])),
        output_tokens: Math.min(body.max_tokens, tokensOf(text)),
      },
    },
  };
}

/**
 * The provider that asks such a server, through the real client. What has no answer counts as waiting in a batch: the night goes on, and a
 * later run asks again.
 * @param model its prices are those of the ledger
 */
export function createRecordedProvider(url: string, model: string): LLMProvider {
  const provider = createAnthropicProvider({
    apiKey: 'recorded',
    model,
    baseUrl: url,
    timeoutMs: TIMEOUT_MS,
  });
  return {
    ...provider,
    async complete(request) {
      try {
        return await provider.complete(request);
      } catch (error) {
        if (!(error instanceof ModelError) || error.status !== 404) throw error;
        throw new ModelError('batched', { retryable: true, unsent: true, hint: 'no recorded answer' });
      }
    },
  };
}
