import type { CompletionRequest } from '@slowwave/fusion';

/** Replaces lone surrogates: they have no UTF-8 form, and servers answer them with an error. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

const MIN_OUTPUT_TOKENS = 256;
const MAX_OUTPUT_TOKENS = 8192;

/**
 * The output limit of a request, in tokens. Without one of its own it is sized from the prompt: a fusion is shorter than its
 * sources, so 0.8 of the prompt's tokens (taken as three characters each, which is high for most languages) plus room for the
 * frame of the answer. A limit is always sent, because some local servers generate for ever without one.
 */
export function outputLimit(request: CompletionRequest): number {
  if (request.maxTokens !== undefined) return Math.max(1, Math.floor(request.maxTokens));
  const chars = request.messages.reduce((sum, message) => sum + message.content.length, 0);
  const sized = Math.ceil((chars / 3) * 0.8) + 60;
  return Math.min(MAX_OUTPUT_TOKENS, Math.max(MIN_OUTPUT_TOKENS, sized));
}

/** A stop reason is a short word that ends up in ledgers and logs; a server's free text does not. */
export function stopWord(value: unknown): string {
  return typeof value === 'string' && /^[a-z_]{1,40}$/.test(value) ? value : 'unknown';
}

/** A model's name as the answer gives it, else as it was asked. */
export function modelName(value: unknown, asked: string): string {
  return typeof value === 'string' && /^[\w.:/@+-]{1,200}$/.test(value) ? value : asked;
}

/** A token count of an answer; absent or nonsense counts as 0. */
export function tokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** The end of a model's thinking, where it stands before an answer: JSON, a code fence or nothing follows, or the rest of the line is empty. */
const THINKING_END = /<\/think(?:ing)?>(?=\s*(?:[{`[]|$)|[^\S\n]*\n)/gi;

/**
 * The text of an answer without the thinking that some servers leave before it, also where the server's template wrote its opening mark.
 * Thinking that does not end has no answer behind it. In a string of JSON no line breaks stand, so that a mark in it is none.
 */
export function withoutThinking(text: string): string {
  const end = [...text.matchAll(THINKING_END)].at(-1);
  if (end) return text.slice(end.index + end[0].length).trimStart();
  return /^\s*<think(?:ing)?>/i.test(text) && !/<\/think(?:ing)?>/i.test(text) ? '' : text;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
