import type { SkipReason } from './sample.ts';
import { textsOf } from './values.ts';

/** Also "D30:05" and "D:11:26", and several in one text, as in "D8:6; D9:17". */
const TURN = /D\s*:?\s*(\d{1,6})\s*:\s*(\d{1,6})/gi;

/** The turns that texts name, each as "session:turn" without zeros before. */
export function turnKeys(value: unknown): string[] {
  const found = textsOf(value).flatMap((text) => [...text.matchAll(TURN)]);
  return [...new Set(found.map(([, session, turn]) => `${Number(session)}:${Number(turn)}`))];
}

/**
 * The turns of a conversation and the memories that say what they say.
 * @param observed whether those are observations, which do not say everything
 */
export function createTurns(observed: boolean) {
  const memories = new Map<string, string[]>();
  const dates = new Map<number, number>();
  return {
    addSession: (session: number, date: number) => void dates.set(session, date),
    dateOf: (session: number): number | undefined => dates.get(session),
    add(key: string, ids: readonly string[]): void {
      memories.set(key, [...(memories.get(key) ?? []), ...ids]);
    },
    has: (key: string): boolean => memories.has(key),
    /** For each turn the memories that say it, or why the question cannot be asked. */
    evidenceOf(keys: readonly string[]): string[][] | SkipReason {
      const found = keys.map((key) => memories.get(key));
      if (found.length === 0 || found.some((ids) => ids === undefined)) return 'unknown_evidence';
      if (found.some((ids) => ids?.length === 0)) return observed ? 'not_observed' : 'unknown_evidence';
      const lists = new Set(found.map((ids) => JSON.stringify(ids)));
      return [...lists].map((list) => JSON.parse(list) as string[]);
    },
  };
}
export type Turns = ReturnType<typeof createTurns>;
