import { sql } from 'drizzle-orm';
import type { AskedQuestion, Invariant } from './types.ts';

/** Clocks of the fake model and of whoever ends processes are one clock; ends are noticed a little later. */
const NOTICED_MS = 1_000;

/**
 * No money is burned: the model was called at most as often as it answered a question whose answer stands in the books, and once more for
 * each call that a fault may have cost. Nothing in the books was never asked.
 */
export const money: Invariant = async ({ rows, mine }, given) => {
  const { tally, callsAtOnce = 1, asked = [], faultsAt = [] } = given;
  const [row] = await rows<{ fused: number; answered: number; standing: number }>(sql`
    select
      -- The last attempt counts once it was answered; those before it were.
      (select coalesce(sum(case when f.answer_state = 'none' and f.output is null then f.attempt - 1 else f.attempt end), 0)::int
        from slowwave.fusions f where ${mine('f')} and f.kind = 'fusion') as fused,
      (select count(*)::int from slowwave.model_answers a where ${mine('a')}) as answered,
      (select count(*)::int from slowwave.fusions f where ${mine('f')} and f.kind = 'fusion' and f.output is not null) as standing`);
  const { fused, answered, standing } = row!;
  const bound = fused + answered + (tally.kills + tally.cuts) * callsAtOnce + tally.timeouts + tally.refusals;
  return [
    ...(tally.calls > bound
      ? [
          `${tally.calls} model calls for ${fused} answered fusions, ${answered} other answers, ${tally.kills} kills, ${tally.cuts} cuts (${callsAtOnce} at once), ${tally.timeouts} given up and ${tally.refusals} refused`,
        ]
      : []),
    ...(tally.calls < standing + answered
      ? [`${standing + answered} answers stand in the books and the model was called ${tally.calls} times`]
      : []),
    ...paidTwice(asked, faultsAt),
  ];
};

/** Questions that were answered whole more than once, with no fault since the answer before. */
function paidTwice(asked: readonly AskedQuestion[], faultsAt: readonly number[]): string[] {
  const faults = [...faultsAt, ...asked.filter(({ end }) => end === 'cut').map(({ at }) => at)].sort(
    (a, b) => a - b,
  );
  const answers = new Map<string, number[]>();
  for (const { question, at, end } of asked) {
    if (end === 'answered') answers.set(question, [...(answers.get(question) ?? []), at]);
  }
  return [...answers].flatMap(([question, times]) => {
    const sorted = times.sort((a, b) => a - b);
    const again = sorted.filter((at, i) => i > 0 && !isFaultBetween(faults, sorted[i - 1]!, at));
    return again.length === 0
      ? []
      : [
          `question ${question.slice(0, 12)} was answered ${times.length} times, ${again.length} of them without a fault in between`,
        ];
  });
}

function isFaultBetween(faults: readonly number[], from: number, to: number): boolean {
  return faults.some((at) => at >= from - NOTICED_MS && at <= to + NOTICED_MS);
}
