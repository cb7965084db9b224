import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { inScope } from '../../../../test/scope.ts';
import { HOSTILE } from '../testing/hostile.ts';
import { extractAtoms, readAtoms } from './atoms.ts';
import { readTokens } from './tokens.ts';

function valuesOf(text: string): string[] {
  return extractAtoms(text).map(({ kind, value, sure }) => `${kind}:${value}${sure ? '' : '?'}`);
}

describe('numbers', () => {
  it.each([
    [['5 cats', 'five cats', '５ cats', '٥ cats'], 'number:5'],
    [
      ['1000 books', '1,000 books', 'one thousand books', '1k books', "1'000 books", '1\u00A0000 books'],
      'number:1000',
    ],
    [['105 men', 'one hundred and five men'], 'number:105'],
    [['25 men', 'twenty-five men', 'twenty five men'], 'number:25'],
    [['5 kg', '5kg', 'five kilograms', '5-kilogram'], 'number:5 kg'],
    [['1.5 km', '1,5 km', '1.50 kilometres'], 'number:1.5 km'],
    [['$5,000,000', '$5 million', '5 million dollars', 'USD 5000000'], 'number:5000000 usd'],
    [['€20', '20 €', '20 EUR', 'twenty euros'], 'number:20 eur'],
    [['20%', '20 percent', 'twenty per cent'], 'number:20 percent'],
    [['3rd', 'third'], 'number:3th'],
    [['-5 °C', '−5°C'], 'number:-5 °c'],
    [['5-year', '5 years', 'five year'], 'number:5 year'],
  ])('reads %j as one', (spellings, expected) => {
    for (const spelling of spellings) expect(valuesOf(`has ${spelling}`)).toEqual([expected]);
  });

  it('keeps apart what may be two things', () => {
    expect(valuesOf('has 1.000')).toEqual(['number:1.000']);
    expect(valuesOf('flat 007')).toEqual(['number:007']);
    expect(valuesOf('3, 5 km')).toEqual(['number:3', 'number:5 km']);
    expect(valuesOf('version 1.2.3')).toEqual(['number:1.2.3']);
  });

  it('takes a bare one for a guess and a counted one for a number', () => {
    expect(valuesOf('met one of her friends')).toEqual(['number:1?']);
    expect(valuesOf('for one week')).toEqual(['number:1 week']);
  });

  it('knows no number word but its own', () => {
    expect(valuesOf('the constructor and prototype, __proto__')).toEqual([]);
  });
});

describe('dates and times', () => {
  it.each([
    [
      [
        '3 May 2024',
        '2024-05-03',
        'May 3, 2024',
        'May 3rd 2024',
        '3rd of May, 2024',
        '03.05.2024',
        '2024/05/03',
        '3. Mai 2024',
        '3 de mayo de 2024',
        '2024年5月3日',
        '2024-5-3',
      ],
      '2024-05-03',
    ],
    [['3 May', 'May 3', 'May 3rd', 'the third of May', '5月3日'], '--05-03'],
    [['May 2024', '2024-05'], '2024-05'],
    [['13/5/2024', '5/13/2024'], '2024-05-13'],
    [['in May'], '--05'],
    [['in 1998'], '1998'],
    [['the 1990s'], '1990s'],
    [['on Monday', 'on monday'], 'monday'],
    [['on Mondays', 'every Monday', 'each monday', 'Monday mornings'], 'mondays'],
  ])('reads %j as one', (spellings, expected) => {
    for (const spelling of spellings) expect(valuesOf(`was ${spelling}`)).toEqual([`date:${expected}`]);
  });

  it('does not choose an order of day and month', () => {
    expect(valuesOf('due 3/5/2024')).toEqual(['date:?3/5/2024']);
    expect(valuesOf('due 5/3/2024')).toEqual(['date:?5/3/2024']);
  });

  it('does not take the verb may for a month', () => {
    expect(valuesOf('she may come')).toEqual([]);
  });

  it.each([
    [['14:00', '2 pm', '2pm', '2 p.m.', '2:00 PM', '14:00:00'], '14:00'],
    [['9:30', '9:30 am', '09:30'], '09:30'],
    [['noon', '12 pm'], '12:00'],
    [['midnight', '12 am'], '00:00'],
  ])('reads %j as one time', (spellings, expected) => {
    for (const spelling of spellings) expect(valuesOf(`at ${spelling}`)).toEqual([`time:${expected}`]);
  });

  it('reads an instant as date and time', () => {
    expect(valuesOf('at 2024-05-03T14:30:00Z')).toEqual(['date:2024-05-03', 'time:14:30']);
  });

  it('keeps what follows a date in unspaced text', () => {
    expect(valuesOf('5月3日に来なかった')).toEqual(['date:--05-03', 'negation:not']);
  });
});

describe('names', () => {
  it('is sure inside a sentence and guesses at its start', () => {
    expect(valuesOf('works with Ann Smith in Dublin')).toEqual(['name:ann smith', 'name:dublin']);
    expect(valuesOf('Ann works here. She met Bob.')).toEqual(['name:ann?', 'name:bob']);
    expect(valuesOf('Ann works here. He met Ann.')).toEqual(['name:ann', 'name:ann']);
  });

  it('takes no opening verb or stock word for a name', () => {
    for (const text of ['Likes tea', 'Enjoyed it', 'The dog', "User's dog", 'I like tea', 'Working here']) {
      expect(valuesOf(text)).toEqual([]);
    }
  });

  it('knows acronyms, possessives and other alphabets', () => {
    expect(valuesOf('he works in IT for NASA')).toEqual(['name:it', 'name:nasa']);
    expect(valuesOf("in Anna's house")).toEqual(['name:anna']);
    expect(valuesOf('живёт в Москве')).toEqual(['name:москве']);
  });
});

describe('links', () => {
  it('reads addresses whole and nothing inside them', () => {
    expect(valuesOf('mail Ann.Lee5@Example.com, see https://Example.com/A/7?x=2024-01-01.')).toEqual([
      'email:ann.lee5@example.com',
      'url:example.com/A/7?x=2024-01-01',
    ]);
    expect(valuesOf('メールはa@b.comです')).toEqual(['email:a@b.com']);
    for (const link of ['www.example.com', 'example.com', 'http://Example.com/']) {
      expect(valuesOf(`see ${link}`)).toEqual(['url:example.com']);
    }
    expect(valuesOf('at @ home or a@b')).toEqual([]);
  });
});

describe('negations', () => {
  it.each([
    "doesn't eat meat",
    'doesn’t eat meat',
    'never eats meat',
    'isst kein Fleisch',
    "n'aime personne",
    'no come carne',
    'não come carne',
    'senza carne',
    'eet geen vlees',
    'nigdy',
    'не ест мясо',
    'et yemez değil',
    '肉を食べない',
    '他不吃肉',
    '고기를 먹지 않아요',
  ])('hears it in %j', (text) => {
    expect(valuesOf(text)).toContain('negation:not');
  });
});

it('numbers clauses', () => {
  const clauses = extractAtoms('met Ann on 3 May, and Bob on 5 May. Then Cleo').map(({ value, clause }) => [
    value,
    clause,
  ]);
  expect(clauses[0]![1]).toBe(clauses[1]![1]);
  expect(clauses[2]![1]).toBe(clauses[3]![1]);
  expect(new Set(clauses.map(([, clause]) => clause)).size).toBe(3);
});

describe('any text', () => {
  it('is read without an error, the same way twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT, maxLength: 300 }), (text) => {
        expect(extractAtoms(text)).toEqual(extractAtoms(text));
      }),
      { numRuns: 500 },
    );
  });

  it('gives every atom a place of its own; only quotations overlap others', () => {
    const piece = fc.constantFrom(
      ...[
        '3',
        'to',
        '5',
        'May',
        '2024',
        'pm',
        'Ann',
        'Lee',
        'of',
        '"',
        "'",
        '-',
        ',',
        '.',
        '\n',
        'not',
        'a',
        'week',
        'per',
        'half',
        'and',
      ],
      ...[
        '$',
        '%',
        'kg',
        'between',
        'at',
        'least',
        'Monday',
        'every',
        'first',
        'quarter',
        '1/2',
        '10x',
        'v2',
        '+',
        '(',
        ')',
        'one',
        'old',
      ],
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.constantFrom('', ' ')), { maxLength: 14 }), (pieces) => {
        const tokens = readTokens(pieces.map(([word, space]) => word + space).join(''));
        const { atoms } = readAtoms(tokens);
        let end = 0;
        let clause = 0;
        for (const { kind, from, to, clause: own } of atoms) {
          expect(from).toBeLessThan(to);
          expect(to).toBeLessThanOrEqual(tokens.length);
          expect(own).toBeGreaterThanOrEqual(clause);
          clause = own;
          if (kind === 'quote') continue;
          // Several values of one number stand in one place.
          expect(from >= end || to === end).toBe(true);
          end = to;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  // Quadratic reading of as much would take many minutes.
  const PIECES = inScope<[string, string]>({
    change: [
      ['digits and commas', '1,'],
      ['addresses', 'a@b '],
      ['links', 'http://'],
      ['capitals', 'Ann '],
      ['quotation marks', '"a '],
      ['ranges', '3 to '],
      ['handles', '@a '],
      ['Han', '不'],
    ],
    rest: [
      ['letters', 'a'],
      ['digits', '1'],
      ['digits and dots', '1.'],
      ['thousands', '1,000'],
      ['zeros after a dot', '0.0000000000'],
      ['at signs', 'a@'],
      ['dotted letters', 'a.'],
      ['link starts', 'http'],
      ['spaces', ' '],
      ['number words', 'hundred and one '],
      ['apostrophes', "a'"],
      ['hyphens', '1-'],
      ['colons', '1:2:'],
      ['single quotation marks', "'a "],
      ['months', 'May '],
      ['telephone numbers', '(555) '],
      ['paths', '/a'],
      ['hyphenated names', 'Ann-'],
      ['rates', '5 a week '],
      ['identifiers', 'a1'],
      ['joined letters', 'a_b_'],
      ['brackets', '['],
      ['times', 'half past '],
      ['lone surrogates', '\uD800'],
      ['combining marks', '\u0301'],
    ],
  });
  it.each(PIECES)('is read in linear time: 300,000 characters of %s', (_name, piece) => {
    expect(extractAtoms(piece.repeat(Math.ceil(300_000 / piece.length)))).toBeInstanceOf(Array);
  });

  it.each(HOSTILE)('is read token by token: twice as many %s take twice as many looks', (_name, textOf) => {
    const looksAt = (length: number): number => {
      const tokens = readTokens(textOf(length));
      let looks = 0;
      const counted = new Proxy(tokens, {
        get(target, key, receiver) {
          if (typeof key === 'string' && /^\d/.test(key)) looks += 1;
          return Reflect.get(target, key, receiver);
        },
      });
      readAtoms(counted);
      return looks;
    };
    const [half, whole] = [looksAt(4_096), looksAt(8_192)];
    // The first and the last tokens of a text are looked at otherwise than those between.
    expect(whole).toBeLessThanOrEqual(2.05 * half + 2_000);
  });

  it('is read in pieces where an identifier is longer than any: none of its digits is lost', () => {
    const parts = Array.from({ length: 500 }, (_, n) => `x${n}`);
    const values = extractAtoms(parts.join('_')).map(({ value }) => value);
    expect(values.length).toBeGreaterThan(1);
    expect(values.join('').replaceAll('_', '')).toBe(parts.join(''));
    expect(extractAtoms('x1_y2_z3')).toMatchObject([{ kind: 'code', value: 'x1_y2_z3' }]);
  });
});
