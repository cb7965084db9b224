import { isLasting } from '../reading/lasting.ts';
import type { SaidText } from './hard-facts.ts';

/**
 * Whether texts of the same words may be told as one: said on one day, or each of them lasting. "Met Ben today" on two days is two
 * meetings, and so is whatever may mean that: an event, and a text in a language without tables.
 */
export function mayBeOne(texts: readonly SaidText[]): boolean {
  const day = texts[0]?.day ?? null;
  if (day !== null && texts.every((text) => text.day === day)) return true;
  return texts.every(({ content, isEvent = false }) => !isEvent && isLasting(content)); // guard: repeat-lasting
}
