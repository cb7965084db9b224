import { type Turns, turnKeys } from './locomo-turns.ts';
import { dateOfTurn, type SampleBuilder } from './sample.ts';
import { fieldOf, isObject, type JsonObject, SampleError, textOf } from './values.ts';

const SESSION = /^session_([1-9]\d{0,4})_observation$/;

/** The published file says "observation", its description "observations". */
function observationsOf(sample: JsonObject): [session: number, bySpeaker: JsonObject][] {
  const all = fieldOf(sample, 'observation') ?? fieldOf(sample, 'observations');
  if (!isObject(all)) return [];
  return Object.entries(all).flatMap(([field, value]) => {
    const session = Number(SESSION.exec(field)?.[1]);
    return session > 0 && isObject(value) ? [[session, value] as [number, JsonObject]] : [];
  });
}

export const hasObservations = (sample: JsonObject): boolean =>
  observationsOf(sample).some(([, bySpeaker]) =>
    Object.values(bySpeaker).some((list) => Array.isArray(list) && list.length > 0),
  );

/** One memory for each observation, which stands for the turns that it names. */
export function addObservations(builder: SampleBuilder, turns: Turns, sample: JsonObject): void {
  for (const [session, bySpeaker] of observationsOf(sample)) {
    const place = `observation.session_${session}_observation`;
    const date = turns.dateOf(session);
    let number = 0;
    for (const list of Object.values(bySpeaker)) {
      if (!Array.isArray(list))
        throw new SampleError(place, 'expected a list of [text, dia_id] of each speaker');
      for (const entry of list as unknown[]) {
        const [said, ...named] = Array.isArray(entry) ? (entry as unknown[]) : [entry];
        const text = textOf(said);
        if (text === null) throw new SampleError(place, 'expected [text, dia_id] for each observation');
        if (date === undefined) throw new SampleError(place, 'is of a session that has no turns');
        const keys = turnKeys(named);
        number += 1;
        const ids = builder.remember({
          id: `session-${session}/observation-${number}`,
          text,
          date: dateOfTurn(date, positionOf(keys, session) ?? number),
          session: `session-${session}`,
        });
        for (const key of keys) if (turns.has(key)) turns.add(key, ids);
      }
    }
  }
}

/** The last turn of its session that an observation names, from 1: before it, not all of it was said. */
function positionOf(keys: readonly string[], session: number): number | undefined {
  const own = keys.filter((key) => key.startsWith(`${session}:`)).map((key) => Number(key.split(':')[1]));
  return own.length === 0 ? undefined : Math.min(100_000, Math.max(1, ...own));
}
