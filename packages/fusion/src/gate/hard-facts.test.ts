import { describe, expect, it } from 'vitest';
import { inOneGo } from '../slices.ts';
import { HOSTILE } from '../testing/hostile.ts';
import {
  type HardFacts,
  MAX_FIGURES,
  openDates,
  readHardFacts,
  readHardFactsInSlices,
  type SaidText,
} from './hard-facts.ts';

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

describe('readHardFactsInSlices', () => {
  it.each(HOSTILE)('2 KB of %s: reads the same as in one go', (_name, textOf) => {
    const said = (): SaidText => ({ content: textOf(2_000), day: DAY });
    expect(inOneGo(readHardFactsInSlices([said()]))).toEqual(readHardFacts([said()]));
  });

  it('a text of thousands of tokens: a slice for a few hundred of them', () => {
    let slices = 0;
    for (const _ of readHardFactsInSlices([{ content: '½ '.repeat(4_000), day: DAY }])) slices += 1;
    expect(slices).toBeGreaterThan(10);
  });

  it('a text that was read before: found again beside other texts, and read anew in another language or with another day', () => {
    const said: SaidText = { content: 'Der Gast Nr. 3 war gestern da.', day: DAY };
    const read = (...others: string[]): HardFacts =>
      readHardFacts([said, ...others.map((content) => ({ content, day: null }))])[0]!;
    const first = read('Der Gast kommt und die Frau ist nicht da.');
    expect(read('Die Frau wohnt nicht mit dem Mann in der Stadt.')).toBe(first);
    expect(read('The guest of the house is here, and that was all of it.')).not.toBe(first);
    said.day = '2024-05-20';
    expect(read().facts).toEqual(readHardFacts([{ ...said }])[0]!.facts);
    expect(read().facts).not.toEqual(first.facts);
  });
});

describe('openDates', () => {
  it('lists each open day of a long text, and none where the text tells of a habit', () => {
    const text = 'The talk is on Friday. '.repeat(1_400);
    expect(openDates(text, null)).toHaveLength(1_400);
    expect(openDates(`${text}She rows every week.`, null)).toEqual([]);
  });
});
