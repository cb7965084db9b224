import {
  type Behaviour,
  type Dialect,
  type FakeServer,
  type RecordedCall,
  type Script,
  startScriptedServer,
} from './scripted-server.ts';

export const CHAT_PATH = '/v1/chat/completions';
export const EMBEDDINGS_PATH = '/v1/embeddings';

const tokens = (text: string) => Math.ceil(text.length / 4);

function completion(call: RecordedCall, message: Record<string, unknown>, finishReason: string) {
  return {
    id: `chatcmpl-fake${call.index}`,
    object: 'chat.completion',
    created: 0,
    model: call.json?.model ?? 'fake',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason }],
    usage: {
      prompt_tokens: tokens(call.text),
      completion_tokens: tokens(String(message.content ?? '')),
      total_tokens: tokens(call.text),
    },
  };
}

const FINISH_REASONS = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
]);

const dialect: Dialect = {
  headers: () => ({}),
  text: ({ text, thinkingFirst, stopReason }, call) => {
    const content = thinkingFirst ? `<think>\nLet me see.\n</think>\n\n${text}` : text;
    const reason = stopReason ?? 'end_turn';
    return completion(call, { content }, FINISH_REASONS.get(reason) ?? reason);
  },
  refusal: (call) => completion(call, { content: null, refusal: 'I cannot help with that.' }, 'stop'),
  truncated: (text, call) => completion(call, { content: text }, 'length'),
  error: (_status, message, errorCode, param) => ({
    error: { message, type: 'fake_error', param: param ?? null, code: errorCode ?? null },
  }),
};

export interface VectorOptions {
  /** Default 8. */
  dimensions?: number;
  /** The vector of a text; default: a deterministic one of its characters, not of unit length. */
  vector?: (text: string, dimensions: number) => unknown[];
  /** Default: what the request asks for. */
  encoding?: 'float' | 'base64';
  /** Answers with this many vectors fewer (or, negative, more) than asked. */
  drop?: number;
  /** Gives the vectors in reverse order; their `index` still tells which is which. */
  reversed?: boolean;
}

/** Numbers that depend on the text alone and are never all zero. */
export function vectorOfText(text: string, dimensions: number): number[] {
  const sums = new Array<number>(dimensions).fill(0);
  for (let i = 0; i < text.length; i += 1) {
    const at = (text.charCodeAt(i) + i) % dimensions;
    sums[at] = (sums[at] ?? 0) + 1;
  }
  return sums.map((sum, i) => sum + (i === 0 ? 1 : 0));
}

function encode(vector: unknown[], encoding: unknown): unknown {
  if (encoding !== 'base64') return vector;
  return Buffer.from(Float32Array.from(vector.map(Number)).buffer).toString('base64');
}

/** The texts of an embeddings request. */
export const inputsOf = (call: RecordedCall): string[] =>
  Array.isArray(call.json?.input) ? call.json.input.map(String) : [String(call.json?.input)];

/** Answers an embeddings request with one vector per text. */
export function vectors(options: VectorOptions = {}): Behaviour {
  const { dimensions = 8, vector = vectorOfText, drop = 0, reversed = false } = options;
  return {
    kind: 'answer',
    value: (call) => {
      const texts = inputsOf(call);
      const count = Math.max(0, texts.length - drop);
      const data = Array.from({ length: count }, (_, index) => ({
        object: 'embedding',
        index,
        embedding: encode(
          vector(texts[index] ?? '', dimensions),
          options.encoding ?? call.json?.encoding_format,
        ),
      }));
      if (reversed) data.reverse();
      return { object: 'list', model: call.json?.model, data, usage: { prompt_tokens: 1, total_tokens: 1 } };
    },
  };
}

/** Refuses a request with a text that `isRefused`, and embeds others. */
export const refusing =
  (isRefused: (text: string) => boolean, status = 400) =>
  (call: RecordedCall): Behaviour =>
    inputsOf(call).some(isRefused) ? { kind: 'error', status } : vectors();

/**
 * A local server that speaks OpenAI's chat completions and embeddings. The base URL of a client is `${url}/v1`.
 * @param scripts what it answers on each path; embeddings answer with `vectors()` unless said otherwise.
 */
export function startOpenAiServer(scripts: { chat?: Script; embeddings?: Script } = {}): Promise<FakeServer> {
  const chat = scripts.chat ?? { kind: 'text', text: 'ok' };
  const embeddings = scripts.embeddings ?? vectors();
  return startScriptedServer([
    { path: CHAT_PATH, dialect, script: chat },
    { path: EMBEDDINGS_PATH, dialect, script: embeddings },
  ]);
}
