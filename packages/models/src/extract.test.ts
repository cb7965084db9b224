import { floorProblems } from '@slowwave/fusion';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LABELLED_TOPICS } from '../../../test/fakes/labelled-topics.ts';
import { CODE_POINT } from '../../../test/fixtures/code-point.ts';
import { extractSummary } from './extract.ts';

const sourcesOf = (texts: readonly string[]) => texts.map((text, i) => ({ n: i + 1, text }));
const extract = (...texts: string[]) => extractSummary(sourcesOf(texts));
const lengthOf = (texts: readonly string[], covered: number[]) =>
  covered.reduce((sum, n) => sum + (texts[n - 1]?.length ?? 0), 0);

/** What a summary lost of the sources that it covers, by the floor of the gate. */
function lostIn(texts: readonly string[], summary: string, covered: number[]) {
  const sources = covered.map((n) => ({ content: texts[n - 1]!, day: null }));
  return floorProblems(sources, summary).filter(({ kind }) => kind !== 'relative_date');
}

describe('extractSummary', () => {
  it('writes a shared subject once', () => {
    expect(
      extract('Mara works at Halden.', 'Mara works from home on Fridays.', 'Mara plays the cello.'),
    ).toEqual({
      summary: 'Mara works at Halden; works from home on Fridays; plays the cello.',
      covered: [1, 2, 3],
      conflicts: [],
    });
    expect(extract('The user lives in Dublin.', 'User works at a bakery in Dublin.').summary).toBe(
      'The user lives in Dublin; works at a bakery in Dublin.',
    );
    expect(extract('健太は味噌ラーメンが大好きです。', '健太は毎週金曜日に走る。').summary).toBe(
      '健太は味噌ラーメンが大好きです；毎週金曜日に走る。',
    );
  });

  it('keeps the subject of a denial next to it', () => {
    expect(extract('Mara eats fish.', 'Mara never eats meat.', 'Mara drinks tea.').summary).toBe(
      'Mara eats fish; Mara never eats meat; drinks tea.',
    );
  });

  it('keeps people apart who share a first name', () => {
    const { summary } = extract('Mara Lind works at Halden.', 'Mara Holm likes tea.');
    expect(summary).toContain('Mara Lind works at Halden');
    expect(summary).toContain('Mara Holm likes tea');
  });

  it('leaves out what another source says already, and counts it as covered', () => {
    expect(extract('Mara plays the cello.', 'Mara plays cello in an orchestra.')).toMatchObject({
      summary: 'Mara plays cello in an orchestra.',
      covered: [1, 2],
    });
    expect(extract('Biscuit is a beagle.', 'biscuit is a BEAGLE').summary).toBe('Biscuit is a beagle.');
  });

  it('writes the day that a relative date means, and leaves a source out of which nobody can tell', () => {
    const texts = [
      'Mara moved to Oslo yesterday.',
      'Mara works at Halden.',
      'Mara flies to Bergen in a few weeks.',
    ];
    const dated = texts.map((text, i) => ({ n: i + 1, text, date: '2026-03-02' }));
    expect(extractSummary(dated)).toMatchObject({ covered: [1, 2] });
    expect(extractSummary(dated).summary).toContain('2026-03-01');
    expect(extractSummary(dated).summary).not.toMatch(/yesterday|weeks/);
    expect(extract(...texts).covered).toEqual([2]);
  });

  it('keeps a sentence that leans on the one before it where it is', () => {
    const { summary } = extract('Mara has a sister. She lives in Oslo.', 'Mara works at Halden.');
    expect(summary).toMatch(/Mara has a sister\. She lives in Oslo(?:\.|\n|$)/);
    expect(summary).not.toContain('Oslo; works');
  });

  it('keeps two sentences together that open with the same pronoun', () => {
    const { summary } = extract('She met Ida. She lives in Oslo.', 'Mara drinks tea.', 'Mara reads novels.');
    expect(summary).toContain('She met Ida. She lives in Oslo');
  });

  it('puts what leans on nothing known first, so that it leans on no other source', () => {
    const { summary } = extract('Mara likes Ida.', 'Her cello is from 1921.', 'Mara drinks tea.');
    expect(summary.startsWith('Her cello is from 1921')).toBe(true);
  });

  it('names pairs that oppose each other and leaves both out', () => {
    const found = extract(
      'Mara likes jazz.',
      'Mara does not like jazz.',
      'Mara drinks tea.',
      'Mara reads novels.',
    );
    expect(found).toEqual({
      summary: 'Mara drinks tea; reads novels.',
      covered: [3, 4],
      conflicts: [{ a: 1, b: 2, opposition: 'polarity', statement: 'Mara likes jazz' }],
    });
    expect(extract('The rent is 900 EUR.', 'The rent is 950 EUR.').conflicts).toMatchObject([
      { a: 1, b: 2, opposition: 'number' },
    ]);
    expect(extract('Mara has a cat called Tom.', 'Mara has a cat called Kit.').conflicts).toEqual([]);
  });

  it('gives each its line when nothing else is short enough', () => {
    const texts = ['The train takes 42 minutes.', 'On Fridays it is late.', 'Ida reads on the train.'];
    expect(extract(...texts)).toMatchObject({
      summary: 'The train takes 42 minutes\nOn Fridays it is late\nIda reads on the train',
      covered: [1, 2, 3],
    });
  });

  it('leaves sources out, the least important first, until the rest is shorter than before', () => {
    const found = extractSummary([
      { n: 1, text: 'Best pizza night ever', importance: 2 },
      { n: 2, text: 'Mara works at Halden', importance: 5 },
      { n: 3, text: 'Mara plays the cello', importance: 5 },
      { n: 4, text: 'Old car broke down', importance: 1 },
      { n: 5, text: 'A', importance: 9 },
    ]);
    expect(found.covered).toEqual([1, 2, 3, 5]);
    expect(found.summary).toBe('Best pizza night ever\nMara works at Halden; plays the cello\nA');
  });

  it('lets the most important stand alone when no two can be merged', () => {
    const found = extractSummary([
      { n: 1, text: 'Old car broke', importance: 2 },
      { n: 2, text: 'Best pizza ever', importance: 7 },
    ]);
    expect(found).toEqual({ summary: 'Best pizza ever', covered: [2], conflicts: [] });
  });

  it('leaves nothing out when asked for the whole, or gives nothing', () => {
    const opposed = sourcesOf(['Mara likes jazz.', 'Mara does not like jazz.', 'Mara likes tea.']);
    const whole = extractSummary(opposed, { whole: true });
    expect(whole.covered).toEqual([1, 2, 3]);
    expect(whole.summary).toBe('Mara likes jazz; Mara does not like jazz; likes tea.');
    expect(extractSummary(sourcesOf(['Old car broke', 'Best pizza']), { whole: true })).toMatchObject({
      summary: '',
      covered: [],
    });
  });

  it('has nothing to say of nothing', () => {
    const nothing = { summary: '', covered: [], conflicts: [] };
    expect(extractSummary([])).toEqual(nothing);
    expect(extract('', '  \n ')).toEqual(nothing);
  });

  it('stays within the longest summary that is accepted', () => {
    const long = 'Mara likes tea. '.repeat(1000).trim();
    const found = extract(long, `${long} And jam.`, 'Mara works at Halden.', 'Mara plays the cello.');
    expect(found.summary.length).toBeLessThanOrEqual(20_000);
    expect(found.covered).toEqual(expect.arrayContaining([3, 4]));
  });

  it('passes the floor of the gate with everything it claims, for memories of one topic and of many', () => {
    const topics = Object.values(LABELLED_TOPICS);
    const mixed = fc.uniqueArray(fc.constantFrom(...topics.flat()), { minLength: 3, maxLength: 8 });
    let merged = 0;
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...topics), mixed), (texts) => {
        const { summary, covered } = extractSummary(sourcesOf(texts));
        if (covered.length < 2) return;
        merged += 1;
        expect(lostIn(texts, summary, covered)).toEqual([]);
      }),
      { numRuns: 150, seed: 11 },
    );
    // The property would hold for a function that never merges.
    expect(merged).toBeGreaterThan(120);
  });

  it('lets no two sentences run into one word where a script has no spaces', () => {
    const { summary, covered } = extractSummary(sourcesOf(['\n é! 東京は', '0']));
    expect(covered).toHaveLength(summary.includes('東京は 0') ? 2 : 1);
    expect(summary).not.toContain('東京は0');
  });

  it('keeps every word of what it covers, whatever the text', () => {
    const word = fc.constantFrom(
      'Mara',
      'works',
      'not',
      '5',
      'tea.',
      'Oslo',
      'She',
      '東京は',
      'é!',
      '🍕',
      '\n',
      ';',
    );
    const text = fc.oneof(
      fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' ')),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: CODE_POINT, maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 7 }), (texts) => {
        const { summary, covered, conflicts } = extractSummary(sourcesOf(texts));
        expect(covered).toEqual([...new Set(covered)].sort((a, b) => a - b));
        if (covered.length > 1) expect(summary.length).toBeLessThan(lengthOf(texts, covered));
        for (const { a, b } of conflicts) {
          expect(covered).not.toContain(a);
          expect(covered).not.toContain(b);
        }
        // Two spellings of one statement count as the same, so words are compared without case, marks and articles.
        const words = (value: string) =>
          value
            .normalize('NFKD')
            .replace(/\p{M}/gu, '')
            .toLowerCase()
            .match(/[\p{L}\p{N}]+|\p{Extended_Pictographic}/gu) ?? [];
        const kept = new Set(words(summary));
        for (const n of covered) {
          for (const found of words(texts[n - 1] ?? '')) expect(kept).toContain(found);
        }
      }),
      { numRuns: 300 },
    );
  });
});
