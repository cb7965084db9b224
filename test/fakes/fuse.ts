import type { CompletionMessage, CompletionRequest } from '@slowwave/fusion';
import { createOfflineProvider } from '@slowwave/models';
import type { Behaviour, RecordedCall } from './scripted-server.ts';
import { answerStatements, asksForStatements, joinNotes } from './statement-model.ts';

export interface FuseOptions {
  /** Holds every answer back, in milliseconds. */
  delayMs?: number;
  /** Asked for each request before it is answered: a behaviour to fail with, or undefined to fuse. */
  intercept?: (text: string, call: RecordedCall) => Behaviour | undefined;
}

/** The text of a message in either protocol: a string, or blocks with text. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: { text?: unknown }) => String(block.text ?? '')).join('');
}

/** A recorded call of either protocol as the request that it came from. */
export function requestOf(call: RecordedCall): CompletionRequest {
  const json = call.json ?? {};
  const given: { role?: unknown; content?: unknown }[] = Array.isArray(json.messages) ? json.messages : [];
  const messages = given
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ role, content }): CompletionMessage => {
      return { role: role === 'assistant' ? 'assistant' : 'user', content: contentOf(content) };
    });
  const structured = json.output_config !== undefined || json.response_format !== undefined;
  const system = systemOf(call);
  return { messages, ...(system === '' ? {} : { system }), ...(structured ? { schema: {} } : {}) };
}

/** What a call asks, as text: the same for the same question, whatever the request says of caching or in which order it names its fields. */
export function questionOf(call: RecordedCall): string {
  const json = call.json ?? {};
  const { messages } = requestOf(call);
  return JSON.stringify([json.model, contentOf(json.system), messages]);
}

/**
 * A script that answers fusion requests well, with the offline provider's algorithm.
 * Fails chosen clusters: `fuse({ intercept: (text) => text.includes('cello') ? { kind: 'error', status: 400 } : undefined })`.
 */
export function fuse(options: FuseOptions = {}): (call: RecordedCall) => Promise<Behaviour> {
  const provider = createOfflineProvider();
  return async (call) => {
    const request = requestOf(call);
    const text = request.messages.map(({ content }) => content).join('\n');
    const intercepted = options.intercept?.(text, call);
    if (intercepted) return intercepted;
    if (isAboutStatements(call)) return statementsAnswer(text, options);
    const answer = await provider.complete(request);
    if (answer.stopReason === 'refusal') return { kind: 'refusal' };
    return { kind: 'text', text: answer.content[0]?.text ?? '', delayMs: options.delayMs ?? 0 };
  };
}

/** A writer of statements, and a judge who finds nothing wrong with them. */
function statementsAnswer(text: string, { delayMs = 0 }: FuseOptions): Behaviour {
  const { answer } = answerStatements(text, { write: joinNotes });
  return { kind: 'text', text: JSON.stringify(answer()), delayMs };
}

const isAboutStatements = (call: RecordedCall): boolean => asksForStatements(systemOf(call));

/** Its system text, or that of the first message in protocols where it stands there. */
function systemOf(call: RecordedCall): string {
  const json = call.json ?? {};
  const given: { role?: unknown; content?: unknown }[] = Array.isArray(json.messages) ? json.messages : [];
  return contentOf(json.system ?? given.find(({ role }) => role === 'system')?.content);
}

/** A fusion answer that claims sources which were not given. */
export function unknownIds(): Behaviour {
  return {
    kind: 'json',
    value: { statements: [{ sources: [1, 97, 98], text: 'Short.' }], conflicts: [] },
  };
}
