import { describe, expect, it } from 'vitest';
import { type HardFacts, MAX_FIGURES, openDates, readHardFacts } from './hard-facts.ts';

const DAY = '2024-05-08';
const factsOf = (content: string): HardFacts => readHardFacts([{ content, day: DAY }])[0]!;

describe('readHardFacts', () => {
  it('offers a fact once, however often a text repeats it, and demands it each time', () => {
    const { facts, offered } = factsOf('1,000 '.repeat(5_000));
    expect(facts).toHaveLength(5_000);
    expect(offered.map(({ value }) => value)).toEqual(['1000']);
  });

  it('compares the numbers of a long list by their values alone', () => {
    const list = (length: number) => Array.from({ length }, (_, n) => 10 + n).join(',');
    expect(factsOf(list(MAX_FIGURES)).facts[0]!.figures.split(' ')).toHaveLength(MAX_FIGURES);
    const { facts } = factsOf(list(MAX_FIGURES + 1));
    expect(facts.map(({ value }) => value)).toEqual(list(MAX_FIGURES + 1).split(','));
    expect(new Set(facts.map(({ figures }) => figures))).toEqual(new Set(['']));
  });
});

describe('openDates', () => {
  it('lists each open day of a long text, and none where the text tells of a habit', () => {
    const text = 'The talk is on Friday. '.repeat(1_400);
    expect(openDates(text, null)).toHaveLength(1_400);
    expect(openDates(`${text}She rows every week.`, null)).toEqual([]);
  });
});
