import {
  type Dialect,
  type FakeServer,
  type Script,
  type ServerOptions,
  startScriptedServer,
} from './scripted-server.ts';

export const MESSAGES_PATH = '/v1/messages';
/** The error type that the Messages API gives with a status. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** About four characters a token, as good as any for a fake. */
const tokens = (text: string) => Math.ceil(text.length / 4);

/** How the Messages API words an answer. */
export const MESSAGES_DIALECT: Dialect = {
  headers: (call) => ({ 'request-id': `req_fake${String(call.index).padStart(8, '0')}` }),
  text: ({ text, thinkingFirst, stopReason }, call) => ({
    id: `msg_fake${call.index}`,
    type: 'message',
    role: 'assistant',
    model: call.json?.model ?? 'fake',
    content: [
      ...(thinkingFirst ? [{ type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' }] : []),
      { type: 'text', text, citations: null },
    ],
    stop_reason: stopReason ?? 'end_turn',
    stop_sequence: null,
    stop_details: null,
    usage: { input_tokens: tokens(call.text), output_tokens: tokens(text) },
  }),
  refusal: (call) => ({
    id: `msg_fake${call.index}`,
    type: 'message',
    role: 'assistant',
    model: call.json?.model ?? 'fake',
    content: [],
    stop_reason: 'refusal',
    stop_sequence: null,
    stop_details: { type: 'refusal', category: null, explanation: null },
    usage: { input_tokens: tokens(call.text), output_tokens: 1 },
  }),
  truncated: (text, call) => ({
    id: `msg_fake${call.index}`,
    type: 'message',
    role: 'assistant',
    model: call.json?.model ?? 'fake',
    content: [{ type: 'text', text, citations: null }],
    stop_reason: 'max_tokens',
    stop_sequence: null,
    stop_details: null,
    usage: { input_tokens: tokens(call.text), output_tokens: tokens(text) },
  }),
  error: (status, message, errorCode) => ({
    type: 'error',
    error: {
      type: ERROR_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
      message,
      ...(errorCode === undefined ? {} : { details: { error_code: errorCode } }),
    },
    request_id: 'req_fake',
  }),
};

/**
 * A local server that speaks the Messages API. Its `url` is the base URL of a client.
 * @param script what it answers; `fuse()` of fuse.ts answers fusion requests.
 */
export function startMessagesServer(script: Script, options: ServerOptions = {}): Promise<FakeServer> {
  return startScriptedServer([{ path: MESSAGES_PATH, dialect: MESSAGES_DIALECT, script }], options);
}
