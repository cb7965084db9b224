import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/** Verbs of the past that became present, or the other way round; "was a teacher" that became "is a teacher". */
export function changedTenses(summary: Statement, sources: readonly Statement[]): Difference[] {
  const problems: Difference[] = [];
  const before = tensesOf(sources.flatMap(({ units }) => units));
  for (const [lemma, tenses] of tensesOf(summary.units)) {
    const known = before.get(lemma);
    if (known?.size !== 1) continue;
    const [was] = known;
    // One of two that were alike is enough: "the manager worked, the trainer works".
    if (was && [...tenses].some((is) => is && was !== is)) problems.push({ kind: 'word', value: lemma });
  }
  const said = copulasOf([summary]);
  for (const [key, tenses] of copulasOf(sources)) {
    const now = said.get(key);
    if (tenses.size !== 1) continue;
    const [was] = tenses;
    if (now?.size === 1 && ![...now].includes(was!)) problems.push({ kind: 'word', value: key });
    // "had a replacement" is an event, and needs no word of the past.
    const owned = sources.every(({ copulas }) =>
      copulas.every((copula) => copula.key !== key || copula.owned),
    );
    if (!now && !owned && was === 'past' && !staysPast(key, summary))
      problems.push({ kind: 'word', value: key });
  }
  return problems;
}

function tensesOf(units: readonly Unit[]): Map<string, Set<'past' | 'present' | null>> {
  const tenses = new Map<string, Set<'past' | 'present' | null>>();
  for (const { kind, keys, tense } of units) {
    if (kind !== 'word' && kind !== 'operator') continue;
    const known = tenses.get(keys[0]!) ?? new Set();
    tenses.set(keys[0]!, known.add(tense));
  }
  return tenses;
}

function copulasOf(statements: readonly Statement[]): Map<string, Set<'past' | 'present'>> {
  const copulas = new Map<string, Set<'past' | 'present'>>();
  for (const { key, tense } of statements.flatMap((statement) => statement.copulas)) {
    copulas.set(key, (copulas.get(key) ?? new Set()).add(tense));
  }
  return copulas;
}

/** Whether what somebody was is told in a clause of the past, or not at all. */
function staysPast(key: string, summary: Statement): boolean {
  const units = summary.units.filter(({ keys }) => keys[0] === key);
  return units.every(
    ({ clause, before }) =>
      summary.pastClauses.has(clause) ||
      // "for being down on 3 May": a form without a tense.
      before === 'being' ||
      summary.units.some(
        (other) => other.clause === clause && ['op:usedto', 'op:nolonger'].includes(other.keys[0]!),
      ),
  );
}
