import type { Statement, Unit } from './unit.ts';

/** How many words before a name the word may stand that says who it is: "neighbour Mrs. Thorne". */
const TITLED = 3;

/** "the neighbour Mrs. Thorne": the word only says who she is, and another neighbour is another person. */
export function isTitle(units: readonly Unit[], at: number): boolean {
  const unit = units[at]!;
  if (unit.kind === 'name') return false;
  const next = units.slice(at + 1, at + 3).find(({ soft }) => !soft);
  return (
    next?.kind === 'name' &&
    next.person !== null &&
    next.clause === unit.clause &&
    next.word - unit.word <= TITLED
  );
}

/** Kin words with the names that stand beside them: "my sister Ann". */
export function namesOfKin(statements: readonly Statement[]): Map<string, Set<string>> {
  const beside = new Map<string, Set<string>>();
  for (const { units } of statements) {
    for (let at = 0; at + 1 < units.length; at += 1) {
      const [one, other] = [units[at]!, units[at + 1]!];
      if (one.person === null || other.person === null || one.sentence !== other.sentence) continue;
      const [kin, name] = one.kind === 'name' ? [other, one] : [one, other];
      if (kin.kind === 'name' || name.kind !== 'name' || Math.abs(one.axis - other.axis) > 1.2) continue;
      const names = beside.get(kin.person!) ?? new Set();
      beside.set(kin.person!, names.add(name.person!));
    }
  }
  return beside;
}

/** Clauses of which two are the subject: "Ben and Max are intolerant" says it of both. */
export function sharedClauses(statement: Statement): { persons: string[]; units: Unit[] }[] {
  const { units, openings, sentenceOf, verbalClauses } = statement;
  return [...openings].flatMap(([clause, opening]) => {
    if (opening !== 'and' || sentenceOf.get(clause - 1) !== sentenceOf.get(clause)) return [];
    if (verbalClauses.has(clause - 1) || !verbalClauses.has(clause)) return [];
    const here = units.filter((unit) => unit.clause === clause && unit.keys[0] !== 'user');
    const before = units.filter((unit) => unit.clause === clause - 1 && unit.keys[0] !== 'user');
    const second = here[0]?.person ?? null;
    if (second === null || before.some(({ person }) => person === null)) return [];
    const first = before.at(-1)?.person ?? null;
    return first === null ? [] : [{ persons: [first, second], units: here }];
  });
}
