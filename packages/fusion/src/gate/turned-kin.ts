import { CONVERSES, IS, isOfUser, isUsers } from './converses.ts';
import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/** "User's nephew Finn" who became "user is the nephew of Finn": one of two became the other. */
export function turnedKin(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const isHis = (said: Unit, text: Statement): boolean =>
    text.said[said.word + 1] === 'of' && IS.test(said.before) && isOfUser(said, text);
  const turned = summary.units.filter((said) => CONVERSES.has(said.form) && isHis(said, summary));
  return turned
    .filter((said) => {
      const same = sources.flatMap((source) =>
        source.units.filter((unit) => unit.form === said.form).map((unit) => ({ unit, source })),
      );
      return (
        same.some(({ unit, source }) => isUsers(unit, source)) &&
        !same.some(({ unit, source }) => isHis(unit, source))
      );
    })
    .map(({ form }) => ({ kind: 'pairing', value: form }));
}
