import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOSTILE } from '../testing/hostile.ts';
import { type AtomSpan, atomSpans } from './atom-spans.ts';
import { extractAtoms } from './atoms.ts';

const shown = (text: string) =>
  atomSpans(text).map(({ kind, values, from, to }) => [kind, text.slice(from, to), values.join('|')]);

describe('the places of atoms', () => {
  it('are where the words stand in a plain text', () => {
    expect(shown('Ana Lee paid $1,200 on 3 May 2024 at half past three, not 15.')).toEqual([
      ['name', 'Ana Lee', 'ana lee'],
      ['number', '$1,200', expect.stringContaining('1200')],
      ['date', '3 May 2024', '2024-05-03'],
      ['time', 'half past three', '03:30'],
      ['negation', 'not', 'not'],
      ['number', '15', '15'],
    ]);
  });

  it('are found under other spellings', () => {
    expect(shown('In １９９８ she “won” it.')).toContainEqual(['date', '１９９８', '1998']);
    expect(shown('Zoe runs 5\u202f000 m')).toContainEqual([
      'number',
      expect.stringMatching(/^5.000/),
      expect.any(String),
    ]);
    const [span] = atomSpans('Write to zoe@bees.example, please.');
    expect(span).toMatchObject({ kind: 'email', from: 9, to: 25 });
  });

  it('take each of two equal words at its own place', () => {
    const text = 'He has 3 cats and 3 dogs';
    expect(atomSpans(text).map(({ from }) => from)).toEqual([text.indexOf('3'), text.lastIndexOf('3')]);
  });

  it('lie inside of any text, in order, and apart but for quotations', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (text) => {
        const spans = atomSpans(text);
        for (const { from, to } of spans) expect(0 <= from && from < to && to <= text.length).toBe(true);
        const plain = spans.filter(({ kind }) => kind !== 'quote');
        plain.slice(1).forEach((span, i) => {
          expect(span.from).toBeGreaterThanOrEqual(plain[i]!.to);
        });
      }),
    );
  });

  it('are all found in texts of plain letters and digits', () => {
    const word = fc.constantFrom(
      'Ana',
      'not',
      '3',
      '14:30',
      '2024-05-03',
      'kg',
      'the',
      'Oslo',
      ',',
      '.',
      '"red door"',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (words) => {
        const text = words.join(' ');
        const values = (list: { kind: string; values: string[] }[]) =>
          new Set(list.flatMap(({ kind, values: all }) => all.map((value) => `${kind} ${value}`)));
        const atoms = extractAtoms(text).map(({ kind, value }) => ({ kind, values: [value] }));
        expect(values(atomSpans(text))).toEqual(values(atoms));
      }),
    );
  });

  it('are one for each fraction of 32,768', () => {
    const spans = atomSpans('½ '.repeat(16_384));
    expect(spans).toHaveLength(16_384);
    expect(spans.every(({ from, to }, at) => from === 2 * at && to === from + 1)).toBe(true);
  });

  it.each(HOSTILE)('are found in 32 KB of %s, first and last as in a short text', (_name, textOf) => {
    const first = ({ kind, values, from, to }: AtomSpan) => [kind, from, to, values[0]];
    const [long, short] = [atomSpans(textOf(32_768)), atomSpans(textOf(400))];
    expect(long.length).toBeGreaterThanOrEqual(short.length);
    const few = Math.min(2, short.length);
    if (!long[0] || long[0].to - long[0].from < 100)
      expect(long.slice(0, few).map(first)).toEqual(short.slice(0, few).map(first));
  });

  it('are found in linear time: in 100,000 characters', () => {
    const text = '“Ａｎａ” paid １,２００ on 3 May — '.repeat(4_000);
    expect(atomSpans(text).length).toBeGreaterThan(8_000);
  });
});
