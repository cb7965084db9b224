import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterOf } from '../testing/samples.ts';
import { checkGate, type GateVerdict } from './gate.ts';
import { isDuplicate } from './twins.ts';

function gate(sources: string[], summary: string): GateVerdict {
  const covered = sources.map((_, n) => n + 1);
  return checkGate(clusterOf(...sources), summary, covered, { latestCount: 10_000, alreadySuperseded: 0 });
}

const PEOPLE = ['Ann', 'Bob', 'Cleo', 'Dora', 'Emil', 'Fritz'];
const PLACES = ['Oslo', 'Bergen', 'Cork', 'Lisbon', 'Riga', 'Ghent'];
const TRADES = ['nurse', 'baker', 'lawyer', 'plumber', 'farmer', 'pilot'];

interface Person {
  name: string;
  place: string;
  trade: string;
  sum: number;
}

/** People who differ in everything. */
const people = fc
  .tuple(
    fc.shuffledSubarray(PEOPLE, { minLength: 3, maxLength: 5 }),
    fc.shuffledSubarray(PLACES, { minLength: 5 }),
    fc.shuffledSubarray(TRADES, { minLength: 5 }),
    fc.uniqueArray(fc.integer({ min: 2, max: 9_999 }), { minLength: 5, maxLength: 5 }),
  )
  .map(([names, places, trades, sums]) =>
    names.map((name, n): Person => ({ name, place: places[n]!, trade: trades[n]!, sum: sums[n]! })),
  );

const sourceOf = ({ name, place, trade, sum }: Person): string =>
  `As was said, ${name} lives in ${place}, works as a ${trade} there and pays ${sum} dollars.`;
const told = ({ name, place, trade, sum }: Person): string =>
  `${name} lives in ${place}, works as a ${trade} there and pays ${sum} dollars`;
const summaryOf = (all: Person[]): string => `${all.map(told).join('; ')}.`;

describe('the gate', () => {
  it('covers every source of a summary that is the sources joined', () => {
    fc.assert(
      fc.property(people, (all) => {
        const verdict = gate(all.map(sourceOf), summaryOf(all));
        expect(verdict.ok && verdict.coveredIds).toHaveLength(all.length);
      }),
    );
  });

  it.each(['\n', '. ', '; '])(
    'covers every source of a summary that is its appositions joined by "%s"',
    (join) => {
      const notes = fc.record({
        owner: fc.constantFrom(...PEOPLE),
        deeds: fc.shuffledSubarray(
          ['sleeps on the stairs', 'eats at noon', 'barks at cyclists', 'likes carrots', 'fears thunder'],
          { minLength: 3, maxLength: 5 },
        ),
        stop: fc.constantFrom('', '.'),
      });
      fc.assert(
        fc.property(notes, ({ owner, deeds, stop }) => {
          const told = deeds.map((deed) => `Rex, the old dog of ${owner}, ${deed}`);
          const verdict = gate(
            told.map((text) => `By the way: ${text}${stop}`),
            told.join(join),
          );
          expect(verdict.ok && verdict.coveredIds).toHaveLength(deeds.length);
        }),
      );
    },
  );

  it.each(['name', 'place', 'trade', 'sum'] as const)(
    'never covers a source whose %s is missing',
    (field) => {
      fc.assert(
        fc.property(people, fc.nat(4), (all, at) => {
          const lossy = all.map((person, n) => (n === at % all.length ? { ...person, [field]: '' } : person));
          const verdict = gate(all.map(sourceOf), summaryOf(lossy as Person[]));
          expect(verdict.ok && verdict.coveredIds.includes(`m${(at % all.length) + 1}`)).toBe(false);
        }),
      );
    },
  );

  it.each(['name', 'place', 'trade', 'sum'] as const)(
    'refuses a summary in which two exchanged their %s',
    (field) => {
      fc.assert(
        fc.property(people, fc.nat(4), (all, at) => {
          const [one, other] = [at % all.length, (at + 1) % all.length];
          const swapped = all.map((person) => ({ ...person }));
          Object.assign(swapped[one]!, { [field]: all[other]![field] });
          Object.assign(swapped[other]!, { [field]: all[one]![field] });
          expect(gate(all.map(sourceOf), summaryOf(swapped)).ok).toBe(false);
        }),
      );
    },
  );

  it.each(['not', 'never'])('refuses a summary that adds or drops "%s"', (negation) => {
    fc.assert(
      fc.property(people, fc.nat(4), (all, at) => {
        const odd = all[at % all.length]!;
        const denied = (text: string): string =>
          text.replace(`${odd.name} lives`, `${odd.name} does ${negation} live`);
        const [plain, summary] = [all.map(sourceOf), summaryOf(all)];
        expect(gate(plain, denied(summary)).ok).toBe(false);
        expect(gate(plain.map(denied), summary).ok).toBe(false);
      }),
    );
  });

  it('judges any text without an error, and refuses what is as long as the sources', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.lorem());
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), text, (sources, summary) => {
        const verdict = gate(sources, summary);
        const length = sources.join('').length;
        if (summary.length >= length) expect(verdict.ok).toBe(false);
      }),
    );
  });

  it('does not take long over the longest cluster there is', () => {
    const words = (seed: number): string =>
      Array.from({ length: 1_300 }, (_, n) => `w${(n * 7 + seed) % 991}`)
        .join(' ')
        .slice(0, 8_000);
    const sources = Array.from({ length: 8 }, (_, n) => words(n));
    expect(gate(sources, words(3)).ok).toBe(false);
  });
});

describe('isDuplicate', () => {
  it('is true of a text and itself, and the same both ways', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      people.map(([one]) => sourceOf(one!)),
    );
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [a, b] = [{ content: one }, { content: other }];
        expect(isDuplicate(a, b)).toBe(isDuplicate(b, a));
      }),
    );
    fc.assert(
      fc.property(people, ([one]) => {
        expect(isDuplicate({ content: sourceOf(one!) }, { content: sourceOf(one!) })).toBe(true);
      }),
    );
  });

  it.each(['name', 'place', 'trade', 'sum'] as const)('is false when the %s is another', (field) => {
    fc.assert(
      fc.property(people, ([one, other]) => {
        const changed = { ...one!, [field]: other![field] };
        expect(isDuplicate({ content: sourceOf(one!) }, { content: sourceOf(changed) })).toBe(false);
      }),
    );
  });
});
