import { describe, expect, it } from 'vitest';
import type { Vote } from '../judge/answer.ts';
import { judgeItems } from '../judge/items.ts';
import { differenceWords } from './difference-words.ts';
import { isRepeat } from './fast-lane.ts';
import { floorProblems } from './floor.ts';
import { checkGate } from './gate.ts';
import type { SaidText } from './hard-facts.ts';

const said = (...contents: string[]): SaidText[] =>
  contents.map((content) => ({ content, day: '2026-05-05' }));
const VOTELESS = { isExamined: true };

/** What a statement says beyond its own sources, a note beside them says word for word. */
const BESIDE: readonly {
  what: string;
  own: string[];
  beside: string;
  statement: string;
  hard: string | null;
}[] = [
  {
    what: 'an amount',
    own: ['Mia takes cetirizine every morning.', 'Every morning Mia takes cetirizine with water.'],
    beside: 'Mia takes 10 mg of cetirizine.',
    statement: 'Every morning Mia takes 10 mg of cetirizine with water.',
    hard: '10 mg',
  },
  {
    what: 'a day',
    own: ['The meeting with Kim is in Bonn.', 'In Bonn Lou will join the meeting with Kim.'],
    beside: 'The meeting in Bonn is on 3 June 2026.',
    statement: 'The meeting with Kim and Lou in Bonn is on 3 June 2026.',
    hard: '2026-06-03',
  },
  {
    what: 'a name',
    own: ['Ana works in the office by the river.', 'Bruno works in the office by the river.'],
    beside: 'Carla Meyer works in the office by the river.',
    statement: 'Ana, Bruno and Carla Meyer work in the office by the river.',
    hard: 'carla meyer',
  },
  {
    what: 'a code',
    own: ['The tent stands in the attic.', 'The tent in the attic is green.'],
    beside: 'The tent has the number K1234.',
    statement: 'The green tent K1234 stands in the attic.',
    hard: 'k1234',
  },
  {
    what: 'an allergy',
    own: ['Mia is allergic to peanuts.', 'Mia is allergic to peanuts and carries a spray.'],
    beside: 'Mia is allergic to latex.',
    statement: 'Mia is allergic to peanuts and latex and carries a spray.',
    hard: null,
  },
  {
    what: 'a reason',
    own: ['Ben sold the boat.', 'Ben sold the blue boat.'],
    beside: 'The harbour got expensive.',
    statement: 'Ben sold the blue boat as the harbour got expensive.',
    hard: null,
  },
];

describe('only the own sources of a statement support it', () => {
  it.each(BESIDE.filter(({ hard }) => hard !== null))(
    'floorProblems: $what of a note beside them is invented',
    ({ own, beside, statement, hard }) => {
      const invented = floorProblems(said(...own), statement).filter(({ problem }) => problem === 'invented');
      expect(invented.map(({ value }) => value)).toContain(hard);
      expect(floorProblems(said(...own, beside), statement)).toEqual([]);
      expect(checkGate(said(...own), statement, [{ ok: true }, { ok: true }], VOTELESS)).toMatchObject({
        ...{ lane: 'floor', accepted: false },
      });
    },
  );

  it.each(BESIDE.filter(({ hard }) => hard === null))(
    'differenceWords: the words of $what of a note beside them are added',
    ({ own, beside, statement }) => {
      expect(floorProblems(said(...own), statement)).toEqual([]);
      const { added } = differenceWords(own, statement);
      expect(added.length).toBeGreaterThan(0);
      for (const word of added) expect(beside).toContain(word);
      expect(differenceWords([...own, beside], statement).added).toEqual([]);
      expect(checkGate(said(...own), statement, [], VOTELESS)).toMatchObject({
        lane: 'open',
        accepted: false,
      });
    },
  );

  it.each(BESIDE)(
    'judgeItems: $what, a request that shows the statement beside its own sources alone',
    (row) => {
      const cluster = said(...row.own, row.beside);
      const [item] = judgeItems(cluster, [{ text: row.statement, sources: [0, 1] }], [], () => '00000000');
      expect(item!.sources.map(({ content }) => content)).toEqual(row.own);
      expect(item!.words).toEqual(differenceWords(row.own, row.statement));
    },
  );

  it('isRepeat: a sentence of a note beside them, false', () => {
    const own = ['Mia has a grey cat. It sleeps a lot.', 'It sleeps a lot.'];
    const statement = 'Mia has a grey cat. It sleeps a lot. It eats fish.';
    expect(isRepeat(said(...own), statement)).toBe(false);
    expect(isRepeat(said(...own, 'It eats fish.'), statement)).toBe(true);
  });
});

/** False about a source of their own, with every hard fact in its place: what a lexical gate let pass. */
const FALSE_STATEMENTS: readonly [what: string, sources: string[], statement: string][] = [
  [
    'one allergy told of a list',
    ['Mia is allergic to peanuts.', 'Leo is allergic to peanuts.', 'Zoe is allergic to penicillin.'],
    'Mia, Leo and Zoe are allergic to peanuts.',
  ],
  [
    'one day told of a list',
    [
      'The meeting with Kim is on 3 May.',
      'The meeting with Lou is on 3 May.',
      'The meeting with Max was cancelled.',
    ],
    'The meetings with Kim, Lou and Max are on 3 May.',
  ],
  [
    'one allergy told of a list with doses',
    [
      'Mia is allergic to peanuts and takes 10 mg of cetirizine.',
      'Leo is allergic to peanuts and takes 5 mg of cetirizine.',
      'Zoe is allergic to latex and takes 20 mg of cetirizine.',
    ],
    'Mia, Leo and Zoe are allergic to peanuts and take 10 mg, 5 mg and 20 mg of cetirizine.',
  ],
  [
    'one place told of a list',
    [
      'Anna works in the Lisbon office.',
      'Bruno works in the Lisbon office.',
      'Carla works in the Madrid office.',
    ],
    'In the Lisbon office work Anna, Bruno and Carla.',
  ],
  [
    'reversed roles',
    ['Paul told Nina that the flight to Oslo is at 6:10.', 'Nina told Paul that the hotel is full.'],
    'Nina told Paul that the flight to Oslo is at 6:10, and Paul told Nina that the hotel is full.',
  ],
  [
    'exchanged doses',
    ['Mia takes 10 mg of cetirizine every morning.', 'Leo takes 5 mg of cetirizine every morning.'],
    'Mia and Leo take 5 mg and 10 mg of cetirizine every morning.',
  ],
  [
    'exchanged conditions',
    [
      'If the baby has a rash, the user waits until morning.',
      'If the baby has a fever above 39, the user calls Dr. Hahn.',
    ],
    'If the baby has a rash, the user calls Dr. Hahn; if the baby has a fever above 39, the user waits until morning.',
  ],
  [
    'the loser of a conflict told besides',
    ['The key is under the mat.', 'The spare key is under the mat too.', 'The key is at the neighbours.'],
    'The key and the spare key are under the mat.',
  ],
];

describe('checkGate of a statement that is false about one of its own sources', () => {
  it.each(FALSE_STATEMENTS)('%s, without a vote: not accepted', (_, sources, statement) => {
    expect(checkGate(said(...sources), statement, [], VOTELESS)).toMatchObject({ accepted: false });
  });

  it.each(FALSE_STATEMENTS)('%s, one vote against it: not accepted', (_, sources, statement) => {
    const no: Vote = { ok: false, reason: 'differs', details: [] };
    for (const votes of [[no], [{ ok: true }, no], [no, { ok: true }]] satisfies Vote[][])
      expect(checkGate(said(...sources), statement, votes, VOTELESS)).toMatchObject({ accepted: false });
  });
});
