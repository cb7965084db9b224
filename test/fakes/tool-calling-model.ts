import { randomUUID } from 'node:crypto';
import { MESSAGES_DIALECT, MESSAGES_PATH } from './messages-server.ts';
import {
  type Behaviour,
  type FakeServer,
  type RecordedCall,
  startScriptedServer,
} from './scripted-server.ts';

export const RESPONSES_PATH = '/v1/responses';

/** A call that the model asks for. Hosts may put a prefix before the name of a tool. */
export interface WantedCall {
  tool: string;
  input: Record<string, unknown>;
}

/** What the model says next: a call with the name that the request gives the tool, or a text. */
type Next = { id: string; name: string; input: Record<string, unknown> } | { text: string };

/** What a conversation says up to here. */
interface Heard {
  /** Names of the tools that it offers. */
  tools: string[];
  /** What came of the calls so far, as JSON text. */
  results: string[];
}

function nextOf(wanted: readonly WantedCall[], { tools, results }: Heard): Next {
  const call = wanted[results.length];
  if (call === undefined) return { text: `The last call said: ${results.at(-1)}` };
  const name = tools.find((offered) => offered.endsWith(call.tool));
  if (name === undefined) return { text: `There is no tool ${call.tool}.` };
  return { id: `call_${results.length}`, name, input: call.input };
}

type Part = { type?: string; name?: string; content?: unknown; output?: unknown };

function heardInMessages({ json }: RecordedCall): Heard {
  const { tools = [], messages = [] } = json as { tools?: Part[]; messages?: { content: Part[] | string }[] };
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return {
    tools: tools.map(({ name }) => name ?? ''),
    results: parts.filter(({ type }) => type === 'tool_result').map(({ content }) => JSON.stringify(content)),
  };
}

function messageOf(next: Next, id: string, call: RecordedCall) {
  const block = 'text' in next ? { type: 'text', text: next.text } : { type: 'tool_use', ...next };
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: call.json?.model,
    content: [block],
    stop_reason: 'text' in next ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

/** A message of one block as the events in which it is streamed. */
function streamed({ content, stop_reason, usage, ...message }: ReturnType<typeof messageOf>): string {
  const [block] = content;
  const [empty, delta] =
    'text' in block!
      ? [
          { ...block, text: '' },
          { type: 'text_delta', text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(block!.input) },
        ];
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function heardInResponses({ json }: RecordedCall): Heard {
  const { tools = [], input = [] } = json as { tools?: Part[]; input?: Part[] | string };
  const items = typeof input === 'string' ? [] : input;
  return {
    tools: tools.map(({ name }) => name ?? ''),
    results: items
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => JSON.stringify(output)),
  };
}

function responseOf(next: Next, call: RecordedCall) {
  const item =
    'text' in next
      ? { type: 'message', role: 'assistant', content: [{ type: 'output_text', annotations: [], ...next }] }
      : { type: 'function_call', call_id: next.id, name: next.name, arguments: JSON.stringify(next.input) };
  return {
    id: `resp_${call.index}`,
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: call.json?.model,
    output: [{ id: `item_${call.index}`, status: 'completed', ...item }],
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    },
  };
}

/**
 * A model that asks for some calls, one after the other, and then says what the last one answered. It speaks the Messages API, streamed
 * where that is asked for and with message threads, and the Responses API. Where a conversation stands is read from what was said in it.
 */
export function startToolCallingModel(wanted: readonly WantedCall[]): Promise<FakeServer> {
  /** Of a thread a request has only what is new: what was heard before, by the message that answered it. */
  const threads = new Map<string, Heard>();
  const messages = (call: RecordedCall): Behaviour => {
    const { thread } = call.json as { thread?: { previous_message_id?: string } };
    const said = heardInMessages(call);
    const before = threads.get(thread?.previous_message_id ?? '');
    const heard = before ? { ...before, results: [...before.results, ...said.results] } : said;
    const id = `msg_${randomUUID()}`;
    if (thread) threads.set(id, heard);
    const message = messageOf(nextOf(wanted, heard), id, call);
    if (call.json?.stream !== true) return { kind: 'answer', value: () => message };
    return { kind: 'raw', body: streamed(message), contentType: 'text/event-stream' };
  };
  const responses = (call: RecordedCall): Behaviour => ({
    kind: 'answer',
    value: () => responseOf(nextOf(wanted, heardInResponses(call)), call),
  });
  return startScriptedServer([
    { path: MESSAGES_PATH, dialect: MESSAGES_DIALECT, script: messages },
    { path: `${MESSAGES_PATH}?beta=true`, dialect: MESSAGES_DIALECT, script: messages },
    { path: RESPONSES_PATH, dialect: MESSAGES_DIALECT, script: responses },
  ]);
}
