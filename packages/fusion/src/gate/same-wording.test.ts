import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../memory.ts';
import { inOneGo } from '../slices.ts';
import { joinRepeats } from '../statements/repeats.ts';
import { AT, candidate, DAY } from '../testing/samples.ts';
import { checkGate } from './gate.ts';
import { isDuplicate, sameWordings } from './same-wording.ts';

const same = (a: string, b: string): boolean => isDuplicate({ content: a }, { content: b });

describe('isDuplicate', () => {
  it.each([
    ['User lives in Cork.', 'user lives in  Cork'],
    ['The boat is blue.', 'the boat is blue'],
  ])('%j and %j, whose days are not known: true', (a, b) => {
    expect(same(a, b)).toBe(true);
    expect(same(b, a)).toBe(true);
  });

  it.each([
    ['number', 'User has two vans.', 'User has three vans.'],
    ['name', 'User lives in Cork.', 'User lives in Riga.'],
    ['word', 'User likes plums.', 'User likes pears.'],
    ['negation', 'User smokes.', 'User does not smoke.'],
    ['modality', 'User moves to Cork.', 'User might move to Cork.'],
    ['more', 'User has a van.', 'User has a red van.'],
    ['direction', 'The bus goes from Cork to Galway.', 'The bus goes from Galway to Cork.'],
    ['roles', 'Nadia called Oskar.', 'Oskar called Nadia.'],
    ['wording', 'User bought a boat.', 'I purchased a boat.'],
    ['comma', 'User was married on 3 May 2021.', 'User was married on 3 May, 2021'],
  ])('two texts that differ in a %s, %j and %j: false', (_what, a, b) => {
    expect(same(a, b)).toBe(false);
    expect(same(b, a)).toBe(false);
  });

  it.each([
    'User sold the van yesterday.',
    'Met Ben today.',
    'Met Ben two days ago.',
    'Fui al médico hoy.',
    'Träffade Ben idag.',
    'Wczoraj widziałem Bena.',
  ])(
    'a text with a relative day, %j: true on one day, false on two and on days that are not known',
    (content) => {
      const on = (documentDay: string) => ({ content, documentDay });
      expect(isDuplicate(on('2026-03-02'), on('2026-03-02'))).toBe(true);
      expect(isDuplicate(on('2026-03-02'), on('2026-03-03'))).toBe(false);
      expect(isDuplicate(on('2026-03-02'), { content })).toBe(false);
      expect(same(content, content)).toBe(false);
    },
  );
});

/** Pairs that would merge. */
const pairsOf = (notes: readonly Partial<Candidate>[]): string[] =>
  inOneGo(sameWordings(notes.map((note, at) => candidate({ ...note, id: `m${at}` })))).duplicates.map(
    ({ a, b }) => `${a} ${b}`,
  );

describe('sameWordings', () => {
  it('many long texts: several slices', () => {
    const nodes = Array.from({ length: 20 }, (_, n) =>
      candidate({ id: `m${n}`, content: `${n} ${'The boat is blue. '.repeat(400)}` }),
    );
    let slices = 0;
    for (const _ of sameWordings(nodes)) slices += 1;
    expect(slices).toBeGreaterThan(4);
  });

  it('facts of several days: each with the next', () => {
    const content = 'Ben owns two cows.';
    expect(pairsOf([0, 1, 5].map((days) => ({ content, documentDate: AT + days * DAY })))).toEqual([
      'm0 m1',
      'm1 m2',
    ]);
  });

  it.each([
    ['events', { content: 'Ben ran along the canal.', category: 'event' as const }],
    ['texts with a relative day', { content: 'Ben ran along the canal today.' }],
    ['texts of a language without a table', { content: 'Ben sprang längs kanalen.' }],
    ['texts whose language nothing tells', { content: 'Ben: 5 km' }],
  ])('%s: pairs of one local day alone', (_what, note) => {
    const said = [
      { ...note, documentDate: AT, documentDay: '2026-06-01' },
      { ...note, documentDate: AT + DAY / 4, documentDay: '2026-06-01' },
      // Still the same day in UTC.
      { ...note, documentDate: AT + DAY / 3, documentDay: '2026-06-02' },
      { ...note, documentDate: AT + DAY, documentDay: '2026-06-02' },
    ];
    expect(pairsOf(said)).toEqual(['m0 m1', 'm2 m3']);
    expect(
      pairsOf([
        { ...note, documentDate: Infinity },
        { ...note, documentDate: Infinity },
      ]),
    ).toEqual([]);
  });
});

describe('what is joined without a model', () => {
  const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
  const UNITS = ['mg', 'Mg', 'mW', 'MW', 'MB', 'Mb', 'km', 'm', 'kg', 'g', 'l', 'ml', 'GB', 'Gb'];
  const word = fc.constantFrom(
    ...[
      'the',
      'key',
      'of',
      'her',
      'garden',
      'house',
      'is',
      'has',
      'blue',
      'and',
      'with',
      'Mira',
      'Oslo',
      'Ida',
    ],
  );
  const letters = (min: number) =>
    fc.array(fc.constantFrom(...LETTERS), { minLength: min, maxLength: 6 }).map((list) => list.join(''));
  const token = fc
    .tuple(letters(1), fc.nat(99), letters(1), fc.constantFrom('', '/', '@', '-', '_', '.', ':'))
    .map(([one, number, other, sign]) => `${one}${number}${sign}${other}`);
  const note = fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 5 }), fc.array(word, { minLength: 1, maxLength: 5 }))
    .map(([before, after]) => ({ before: before.join(' '), after: after.join(' ') }));
  const days = fc.tuple(fc.nat(40), fc.nat(40));

  interface Note {
    content: string;
    category?: Candidate['category'];
    days: number;
  }
  /** No way joins them: no merge, and no statement that stands for both, whichever of the two it repeats. */
  function expectApart(one: Note, other: Note): void {
    const notes = [one, other].map(({ days, ...rest }) => ({ ...rest, documentDate: AT + days * DAY }));
    expect(pairsOf(notes)).toEqual([]);
    const said = [one, other].map(({ content, category, days: day }) => ({
      content,
      day: new Date(AT + day * DAY).toISOString().slice(0, 10),
      isEvent: category === 'event',
    }));
    for (const { content } of said)
      expect(checkGate(said, content, [], { isExamined: true }).accepted).toBe(false);
    const shown = said.map(({ content: text, day: date }, at) => ({ n: at + 1, date, text }));
    for (const { text, sources } of joinRepeats(shown)) {
      const verdict = checkGate(
        sources.map((n) => said[n - 1]!),
        text,
        [],
        { isExamined: true },
      );
      expect(verdict.accepted).toBe(false);
    }
  }
  const otherCase = (text: string, at: number): string => {
    const sign = text[at]!;
    return (
      text.slice(0, at) +
      (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase()) +
      text.slice(at + 1)
    );
  };

  it('notes that differ in the case of a letter of a token with a digit, wherever it stands: never', () => {
    fc.assert(
      fc.property(note, token, fc.nat(20), days, fc.boolean(), ({ before, after }, id, at, [a, b], first) => {
        const places = [...id].flatMap((sign, place) => (/[a-z]/.test(sign) ? [place] : []));
        const other = otherCase(id, places[at % places.length]!);
        const of = (held: string) => (first ? `${held} ${after}.` : `${before} ${held} ${after}.`);
        expectApart({ content: of(id), days: a }, { content: of(other), days: b });
      }),
    );
  });

  it('notes that differ in the case of a letter inside a word: never', () => {
    fc.assert(
      fc.property(note, letters(2), fc.nat(20), days, ({ before, after }, inner, at, [a, b]) => {
        const other = otherCase(inner, 1 + (at % (inner.length - 1)));
        for (const of of [
          (held: string) => `${held} ${after}`,
          (held: string) => `${before} ${held} ${after}.`,
        ])
          expectApart({ content: of(inner), days: a }, { content: of(other), days: b });
      }),
    );
  });

  it('notes that differ in the first letter of a word inside a sentence: never', () => {
    fc.assert(
      fc.property(note, letters(1), days, ({ before, after }, inner, [a, b]) => {
        const of = (held: string) => `${before} ${held} ${after}`;
        expectApart({ content: of(inner), days: a }, { content: of(otherCase(inner, 0)), days: b });
      }),
    );
  });

  it('notes that differ in a unit: never', () => {
    const units = fc
      .tuple(fc.constantFrom(...UNITS), fc.constantFrom(...UNITS))
      .filter(([one, other]) => one !== other);
    fc.assert(
      fc.property(
        note,
        fc.integer({ min: 1, max: 900 }),
        units,
        days,
        ({ before, after }, n, [one, other], [a, b]) => {
          for (const of of [
            (unit: string) => `${before} ${n} ${unit} ${after}.`,
            (unit: string) => `${before} ${n}${unit}`,
          ])
            expectApart({ content: of(one), days: a }, { content: of(other), days: b });
        },
      ),
    );
  });

  it('notes that differ in a mark inside of them: never', () => {
    const mark = fc.constantFrom(',', ';', ':', '!', '?', '...', ' -', "'s", '"');
    fc.assert(
      fc.property(note, mark, days, ({ before, after }, sign, [a, b]) => {
        expectApart(
          { content: `${before} ${after}.`, days: a },
          { content: `${before}${sign} ${after}.`, days: b },
        );
      }),
    );
  });

  const RELATIVE = fc.constantFrom(
    ...[
      'today',
      'yesterday',
      'two days ago',
      'last week',
      'heute',
      'gestern',
      'hier',
      "aujourd'hui",
      'hoy',
      'ayer',
      'oggi',
    ],
    ...[
      'ieri',
      'hoje',
      'ontem',
      'vandaag',
      'gisteren',
      'idag',
      'igår',
      'wczoraj',
      'dziś',
      'bugün',
      'dün',
      'сегодня',
      '今日',
    ],
    ...[
      '今天',
      '오늘',
      'اليوم',
      'आज',
      'σήμερα',
      'היום',
      'วันนี้',
      'tänään',
      'včera',
      'tegnap',
      'kemarin',
      'hôm nay',
    ],
  );
  const twoDays = days.filter(([a, b]) => a !== b);

  it('the same event on two days: never', () => {
    fc.assert(
      fc.property(note, token, twoDays, ({ before, after }, id, [a, b]) => {
        const content = `${before} ${id} ${after}.`;
        expectApart({ content, category: 'event', days: a }, { content, category: 'event', days: b });
      }),
    );
  });

  it('the same relative day, said on two days: never', () => {
    fc.assert(
      fc.property(note, RELATIVE, twoDays, fc.boolean(), ({ before, after }, when, [a, b], first) => {
        const content = first ? `${when} ${before} ${after}.` : `${before} ${after} ${when}.`;
        expectApart({ content, days: a }, { content, days: b });
      }),
    );
  });

  it('the same note twice on one day: always merged', () => {
    fc.assert(
      fc.property(note, token, fc.nat(40), ({ before, after }, id, day) => {
        const content = `${before} ${id} ${after}`;
        const said = { documentDate: AT + day * DAY, category: 'event' as const };
        const again = `  ${content.replaceAll(' ', '  ')}.`;
        expect(
          pairsOf([
            { ...said, content },
            { ...said, content: again },
          ]),
        ).toEqual(['m0 m1']);
      }),
    );
  });
});
