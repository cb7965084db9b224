import type { CallToolResult } from '@modelcontextprotocol/server';
import { CHARS_PER_TOKEN } from '@slowwave/fusion';

/** Most tokens of one answer, with its text and the same once more as data. */
export const ANSWER_TOKENS = 4_000;
const ANSWER_CHARS = ANSWER_TOKENS * CHARS_PER_TOKEN;

/** Characters of one memory's content in a list; get_memory shows the rest. */
const CONTENT_CHARS = 800;

/** The answer of a tool: data where it is an object, and the same as text for clients that read no data. */
export function resultOf(answer: object | string): CallToolResult {
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] };
  return {
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: answer as Record<string, unknown>,
  };
}

/** @returns null for an answer that fits, or the share of it that would */
export function isTooLarge(answer: object): number | null {
  const chars = JSON.stringify(resultOf(answer)).length;
  return chars <= ANSWER_CHARS ? null : ANSWER_CHARS / chars;
}

/** An instant as people write it, in UTC; null stays null. @param ms epoch ms */
export const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The day of an instant, in UTC. @param ms epoch ms */
export const dayOf = (ms: number): string => new Date(ms).toISOString().split('T')[0]!;

/** The days on which something was said: one, or the first and the last. */
export function saidOf({ from, to }: { from: number; to: number }): string {
  const [first, last] = [dayOf(from), dayOf(to)];
  return first === last ? first : `${first}/${last}`;
}

/** Content as lists show it, whole characters, and whether more of it follows. */
export function shortened(content: string, most = CONTENT_CHARS): { content: string; cut: boolean } {
  if (content.length <= most) return { content, cut: false };
  const characters = [...content.slice(0, most)];
  // The last one may be half a character.
  return { content: characters.slice(0, -1).join(''), cut: true };
}
