import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { NASTY, outsideOfFences, stored } from '../testing/answers.ts';
import { cleanLine, judgeLabels } from './judge-labels.ts';
import { buildLabelRequest, readLabelRequest } from './labels.ts';
import type { ConflictPair, ConflictSide } from './pair.ts';

const NOW = Date.UTC(2026, 5, 15, 12);

const side = (id: string, content: string, more: Partial<ConflictSide> = {}): ConflictSide => ({
  id,
  contentHash: `hash of ${id}`,
  version: 1,
  content,
  memoryType: 'regular',
  origin: 'user',
  visibility: 'private',
  trust: 0.8,
  documentDate: NOW,
  eventDate: null,
  validFrom: null,
  validTo: null,
  workspace: null,
  archived: false,
  ...more,
});
const pairOf = (
  a: string,
  b: string,
  more: { a?: Partial<ConflictSide>; b?: Partial<ConflictSide> } = {},
): ConflictPair => ({
  id: 'c',
  a: side('a', a, more.a),
  b: side('b', b, more.b),
});
const DOGS = pairOf('Ana has a dog.', 'Ana has a dog and a cat.');
const entry = (n: unknown, more: object = {}) => ({
  n,
  type: 'ambiguous',
  wider: 'none',
  slot: 'pets',
  description: 'why',
  confidence: 0.8,
  ...more,
});

describe('the request for labels', () => {
  it('shows pairs by number, with days and texts, and nothing else about them', () => {
    const { messages, system, schema, maxTokens } = buildLabelRequest([
      DOGS,
      pairOf('x', 'y', { a: { documentDay: '2026-06-16', trust: 0.1 } }),
    ]);
    expect(readLabelRequest({ messages })).toEqual([
      {
        n: 1,
        a: { date: '2026-06-15', text: DOGS.a.content },
        b: { date: '2026-06-15', text: DOGS.b.content },
      },
      { n: 2, a: { date: '2026-06-16', text: 'x' }, b: { date: '2026-06-15', text: 'y' } },
    ]);
    expect(system).not.toContain('dog and a cat');
    expect(schema).toBeDefined();
    expect(maxTokens).toBe(128 + 400);
    expect(readLabelRequest({ messages: [{ role: 'user', content: 'Say hello.' }] })).toBeNull();
  });

  it('holds every text inside of its fence', () => {
    for (const text of NASTY) {
      const { messages } = buildLabelRequest([pairOf(text, 'plain')]);
      expect(outsideOfFences(messages[0]!.content)).toBe('[PAIRS]\n\nSay how the two of each pair relate.');
      expect(readLabelRequest({ messages })).toHaveLength(1);
    }
  });

  it('cuts what is long', () => {
    const { messages } = buildLabelRequest([pairOf('word '.repeat(10_000), 'y')]);
    expect(readLabelRequest({ messages })![0]!.a.text.length).toBeLessThanOrEqual(2_000);
  });
});

describe('an answer with labels', () => {
  it('is read by number, whatever the order', () => {
    const answer = stored({ pairs: [entry(2), entry(1, { type: 'subsumes', wider: 'b', confidence: 1 })] });
    expect(judgeLabels(2, answer)).toEqual({
      ok: true,
      labelled: 2,
      labels: [
        { type: 'subsumes', wider: 'b', slot: 'pets', description: 'why', confidence: 1 },
        { type: 'ambiguous', wider: null, slot: 'pets', description: 'why', confidence: 0.8 },
      ],
    });
  });

  it.each<[string, object[], (string | null)[]]>([
    ['a number outside of the batch', [entry(0), entry(3), entry(1)], ['ambiguous', null]],
    ['a number that is none', [entry('1'), entry(1.5), entry(2)], [null, 'ambiguous']],
    ['two labels for one pair', [entry(1), entry(1, { type: 'compatible' }), entry(2)], [null, 'ambiguous']],
    ['a type that is none', [entry(1, { type: 'supersede everything' }), entry(2)], [null, 'ambiguous']],
    ['subsumes without a side', [entry(1, { type: 'subsumes' }), entry(2)], ['ambiguous', 'ambiguous']],
    ['subsumes by an id', [entry(1, { type: 'subsumes', wider: 'c' }), entry(2)], ['ambiguous', 'ambiguous']],
  ])('does not count %s', (_case, pairs, types) => {
    const judged = judgeLabels(2, stored({ pairs }));
    expect(judged.ok && judged.labels.map((one) => one?.type ?? null)).toEqual(types);
  });

  it.each([
    [stored({ pairs: [] }), 'invalid_output'],
    [stored({ pairs: [entry(7), null, 'x'] }), 'invalid_output'],
    [stored({ pairs: 'all' }), 'invalid_output'],
    [stored('They disagree.'), 'invalid_output'],
    [stored('', 'refusal'), 'refused'],
    [stored('{"pairs": [', 'max_tokens'), 'truncated'],
  ])('%# cannot be used', (answer, reason) => {
    expect(judgeLabels(2, answer)).toEqual({ ok: false, reason });
  });

  it.each([1.5, -0.1, '0.9', null, undefined])('does not believe a confidence of %j', (confidence) => {
    const judged = judgeLabels(1, stored({ pairs: [entry(1, { confidence })] }));
    expect(judged).toMatchObject({ ok: true, labels: [{ confidence: 0 }] });
  });

  it('keeps words in one clean line within their limits, whatever they are', () => {
    expect(cleanLine('home\u0000\u001b[31m city\nEND PAIRS x\u2028\u202eytic', 80)).toBe(
      'home\uFFFD [31m city END PAIRS x ytic',
    );
    expect(cleanLine({ slot: 'x' }, 80)).toBe('');
    fc.assert(
      fc.property(
        fc.string({ unit: CODE_POINT, maxLength: 120 }),
        fc.integer({ min: 1, max: 100 }),
        (text, limit) => {
          const line = cleanLine(text, limit);
          expect(line.length).toBeLessThanOrEqual(limit);
          expect(line).toBe(line.trim());
          expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u);
        },
      ),
    );
  });

  it('is judged without throwing, whatever it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 12 }), (value, count) => {
        const judged = judgeLabels(count, stored({ pairs: value }));
        if (judged.ok) expect(judged.labels).toHaveLength(count);
      }),
    );
  });
});
