import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/** How far behind a number the thing stands that it counts. */
const COUNTED = 1;

/**
 * Numbers that count something else than in any source, while what they count has another number there: "every 30 hours, kept for 12 days",
 * where the sources have 12 hours and 30 days.
 */
export function exchangedCounts(summary: Statement, sources: readonly Statement[]): Difference[] {
  /** For each key of a counted thing the keys of its numbers. */
  const counts = new Map<string, Set<string>>();
  const counting = new Set<string>();
  for (const source of sources)
    for (const [number, counted] of countsOf(source)) {
      counting.add(number.keys[0]!);
      for (const key of counted.keys) {
        const known = counts.get(key) ?? new Set<string>();
        counts.set(key, known);
        for (const name of number.keys) known.add(name);
      }
    }
  const problems: Difference[] = [];
  for (const [number, counted] of countsOf(summary)) {
    if (!counting.has(number.keys[0]!)) continue;
    const known = counted.keys.flatMap((key) => [...(counts.get(key) ?? [])]);
    if (known.length > 0 && !number.keys.some((key) => known.includes(key)))
      problems.push({ kind: 'pairing', value: `${number.form} ${counted.form}` });
  }
  return problems;
}

/** Plain numbers with the word right behind them. */
function countsOf({ units }: Statement): [Unit, Unit][] {
  const found: [Unit, Unit][] = [];
  for (const [index, number] of units.entries()) {
    if (number.kind !== 'number' || !/^\d+(?:\.\d+)?$/.test(number.form)) continue;
    const counted = units[index + 1];
    if (counted?.kind !== 'word' || counted.soft || counted.clause !== number.clause) continue;
    if (counted.word - number.word <= COUNTED) found.push([number, counted]);
  }
  return found;
}

/**
 * "..., but not the user", "..., only not Elin": a clause that denies nothing but somebody. It must be the one of whom a source says so.
 */
export function loneDenials(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language === 'en') return [];
  const denied = sources.flatMap((source) => denialsOf(source).flatMap(({ others }) => others));
  const known = new Set(denied.flatMap(({ keys }) => keys));
  return denialsOf(summary)
    .filter(({ others }) => others.length === 1)
    .map(({ others }) => others[0]!)
    .filter((one) => one.keys[0] === 'user' || one.kind === 'name')
    .filter(({ keys }) => !keys.some((key) => known.has(key)))
    .map(({ form }) => ({ kind: 'negation', value: form }));
}

function denialsOf({ units }: Statement): { others: Unit[] }[] {
  const clauses = new Map<number, { denied: boolean; others: Unit[] }>();
  for (const unit of units) {
    const clause = clauses.get(unit.clause) ?? { denied: false, others: [] };
    clauses.set(unit.clause, clause);
    if (unit.keys[0] === 'op:not') clause.denied = true;
    else clause.others.push(unit);
  }
  return [...clauses.values()].filter(({ denied }) => denied);
}

/** Keys by which words of reason are known: what follows is the reason, or what it leads to. */
export const REASON = 'reason~';

interface Reasoning {
  cause: ReadonlySet<string>;
  effect: ReadonlySet<string>;
  word: Unit;
}

/**
 * A reason that became what it leads to ("tired because he works" as "works because he is tired"), or that no source gives for it.
 */
export function turnedReasons(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = sources.flatMap(reasonsOf);
  const problems: Difference[] = [];
  for (const { cause, effect, word } of reasonsOf(summary)) {
    const right = known.some((one) => {
      const told = shared(cause, one.cause) + shared(effect, one.effect);
      return told > 0 && told > shared(cause, one.effect) + shared(effect, one.cause);
    });
    if (!right) problems.push({ kind: 'pairing', value: word.form });
  }
  return problems;
}

function shared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let count = 0;
  for (const key of one) if (other.has(key)) count += 1;
  return count;
}

function reasonsOf(statement: Statement): Reasoning[] {
  const { units } = statement;
  const found: Reasoning[] = [];
  for (const word of units) {
    if (word.keys[0] !== REASON) continue;
    const leads = word.keys[1] === `${REASON}so`;
    const content = units.filter(
      (unit) => unit !== word && unit.kind !== 'operator' && unit.keys[0] !== 'user' && !unit.soft,
    );
    const sentence = content.filter((unit) => unit.sentence === word.sentence);
    const behind = sentence.filter((unit) => unit.axis > word.axis && unit.clause === word.clause);
    let rest = sentence.filter((unit) => !behind.includes(unit));
    if (leads) {
      const before = rest.filter((unit) => unit.axis < word.axis && unit.clause !== word.clause);
      const own = sentence.filter((unit) => unit.clause === word.clause || unit.axis > word.axis);
      // "Deshalb ..." at the start is about the sentence before.
      rest = before.length > 0 ? before : content.filter((unit) => unit.sentence === word.sentence - 1);
      found.push({ cause: keysOf(rest), effect: keysOf(own), word });
    } else found.push({ cause: keysOf(behind), effect: keysOf(rest), word });
  }
  return found;
}

function keysOf(units: readonly Unit[]): Set<string> {
  return new Set(units.map(({ keys }) => keys[0]!));
}
