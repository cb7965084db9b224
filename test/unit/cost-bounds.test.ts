import { readFileSync, writeFileSync } from 'node:fs';
import { readConfig } from '@slowwave/config';
import { dollarsOfNanos, nanosOf, PRICE_TABLE } from '@slowwave/models';
import { DEFAULT_LIMITS, MODEL_STEPS_OF } from '@slowwave/worker';
import { expect, it } from 'vitest';

const FILE = new URL('../../docs/how-to/models-and-cost.md', import.meta.url);
const PER_MILLION = 1_000_000n;
/** A deep run every six hours. */
const DEEP_RUNS = 4;

const { user_night, user_day } = readConfig({}).budgets;

/** So many tokens of one kind, in dollars and cents or what is less. */
function cost(tokens: number, price: string): string {
  const dollars = dollarsOfNanos((BigInt(tokens) * nanosOf(price)) / PER_MILLION);
  return `$${dollars.toFixed(dollars < 0.1 ? 3 : 2)}`;
}

const count = (tokens: number): string => tokens.toLocaleString('en-US');

function section(): string {
  const rows = PRICE_TABLE.map(({ model, input, output }) => {
    const costs = [user_night, user_day].flatMap(({ tokens }) => [
      cost(tokens!, input),
      cost(tokens!, output),
    ]);
    return `| \`${model}\` | ${costs.join(' | ')} |`;
  });
  const { steps } = DEFAULT_LIMITS;
  const [light, deep, sleep] = (['light', 'deep', 'sleep'] as const).map((tier) =>
    MODEL_STEPS_OF[tier].reduce((sum, step) => sum + steps[step].tokens, 0),
  );
  return [
    `The most that one user's night can take is ${count(user_night.tokens!)} tokens, and a day, its night included, ${count(user_day.tokens!)}:`,
    '',
    '| model | a night, if all is read | a night, if all is written | a day, if all is read | a day, if all is written |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `With both budgets switched off only the limits of the steps are left: ${count(sleep!)} tokens a night, and ${count(sleep! + DEEP_RUNS * deep! + light!)} a day of ${DEEP_RUNS} deep runs, a night and`,
    'insights once, besides the runs that are asked for.',
  ].join('\n');
}

it('the worst night and day in the docs are those of the default budgets and the table of prices (UPDATE_DOCS=1 writes them)', () => {
  const text = readFileSync(FILE, 'utf8');
  const expected = text.replace(
    /<!-- worst -->[\s\S]*<!-- \/worst -->/,
    () => `<!-- worst -->\n${section()}\n<!-- /worst -->`,
  );
  expect(expected).toContain(section());
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, expected);
  expect(readFileSync(FILE, 'utf8')).toBe(expected);
});
