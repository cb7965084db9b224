import type { Difference } from './coverage.ts';
import { isUser } from './targets.ts';
import { type Statement, sharesKey, type Unit } from './unit.ts';

/** Glue verbs: what follows "only has" may be any of what stands behind it. */
const AUXILIARY = new Set(
  'is are am was were has have had does do did can could will would should must may might needs lets let'.split(
    ' ',
  ),
);

/** What "only" singles out; null where the words leave it open ("only watches cartoons on weekends"). */
interface Focus {
  units: Unit[] | null;
  /** All that it may mean. */
  possible: Unit[];
}

function isSaid(unit: Unit): boolean {
  return unit.kind !== 'operator';
}

function focusOf({ units, openings }: Statement, index: number): Focus {
  const operator = units[index]!;
  const last = operator.word + operator.form.split(' ').length - 1;
  // The "but" of "nothing but tea" opens a clause.
  const clause = operator.form.endsWith('but') ? (units[index + 1]?.clause ?? -1) : operator.clause;
  const after = units.slice(index + 1).filter((unit) => unit.clause === clause && isSaid(unit));
  const before = units.slice(0, index).filter((unit) => unit.clause === operator.clause && isSaid(unit));
  const [next] = after;
  if (operator.form === 'alone' || !next) {
    const tail = tailOf(before);
    const opening = openings.get(operator.clause) ?? '';
    const listed =
      opening === 'and' || opening === 'or'
        ? tailOf(units.filter((unit) => unit.clause === operator.clause - 1 && isSaid(unit)))
        : [];
    const near = [...tail, ...listed];
    return { units: near.length > 0 ? near : null, possible: [...before, ...listed] };
  }
  const verbal = (next.verbal && next.person === null) || AUXILIARY.has(next.before);
  if (verbal || next.word - last > 4) return { units: null, possible: after };
  const own = headOf(after);
  // "wifi only with a static IP"
  if (next.before === 'with') own.push(...tailOf(before));
  const further = units.filter(
    (unit) =>
      unit.clause === operator.clause + 1 &&
      isSaid(unit) &&
      /^(?:and|or)$/.test(openings.get(unit.clause) ?? ''),
  );
  return { units: own, possible: [...own, ...headOf(further)] };
}

/** The first words that stand together. */
function headOf(units: readonly Unit[]): Unit[] {
  const end = units.findIndex((unit, at) => at > 0 && (unit.word - units[at - 1]!.word > 1 || unit.verbal));
  return units.slice(0, end === -1 ? units.length : end);
}

/** The last words that stand together, without their verb. */
function tailOf(units: readonly Unit[]): Unit[] {
  const start = units.findLastIndex(
    (unit, at) =>
      (at < units.length - 1 && units[at + 1]!.word - unit.word > 1) || (unit.verbal && unit.person === null),
  );
  return units.slice(start + 1);
}

function fociOf(statement: Statement): Focus[] {
  return statement.units.flatMap((unit, index) =>
    unit.keys[0] === 'op:only' && !unit.soft ? [focusOf(statement, index)] : [],
  );
}

function agree(one: Focus, other: Focus): boolean {
  const shared = (some: readonly Unit[], more: readonly Unit[]): boolean =>
    some.some((unit) => more.some((same) => (isUser(unit) && isUser(same)) || sharesKey(unit, same)));
  return shared(one.possible, other.possible);
}

/** "only" on another thing than in the source: "only Ann drinks tea" for "Ann drinks only tea". */
export function movedFocus(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const told = sources.flatMap(fociOf);
  if (told.length === 0) return [];
  const said = fociOf(summary);
  if (said.length === 0) return [];
  const moved = [
    ...said.filter((focus) => !told.some((other) => agree(focus, other))),
    ...told.filter((focus) => isTold(focus, summary) && !said.some((other) => agree(focus, other))),
  ];
  return moved.map(({ possible }) => ({ kind: 'pairing', value: `only ${possible[0]?.form ?? ''}` }));
}

/** Whether the summary names what a source singles out: else that is reported as lost. */
function isTold({ units, possible }: Focus, summary: Statement): boolean {
  return (units ?? possible).some(({ keys }) => keys.some((key) => summary.keys.has(key)));
}
