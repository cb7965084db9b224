import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floorProblems, floorProblemsInSlices } from './floor.ts';
import { readHardFacts } from './hard-facts.ts';

const said = (content: string, day: string | null = '2025-03-10') => ({ content, day });
const kinds = (sources: { content: string; day: string | null }[], statement: string) =>
  floorProblems(sources, statement).map(({ problem, source, kind, value }) =>
    problem === 'lost' ? `lost ${source} ${kind} ${value}` : `invented ${kind} ${value}`,
  );

describe('the floor', () => {
  it.each([
    ['a number', 'Ada runs 12 km on Sundays.', 'Ada runs on Sundays.', 'lost 1 number 12 km'],
    ['a time', 'The class begins at 18:30.', 'The class begins in the evening.', 'lost 1 time 18:30'],
    ['a date', 'The lease ends on 31 May 2026.', 'The lease ends in spring.', 'lost 1 date 2026-05-31'],
    ['a name', 'They met Oskar in the park.', 'They met a friend in the park.', 'lost 1 name oskar'],
    ['an address', 'Write to ada@example.org.', 'Write to Ada.', 'lost 1 email ada@example.org'],
    ['a code', 'The flight is LH1234.', 'The flight has a number.', 'lost 1 code lh1234'],
  ])('demands %s of a source, and lets none be made up', (_, full, vague, lost) => {
    expect(kinds([said(full), said(full)], full)).toEqual([]);
    expect(kinds([said(full)], vague)).toContain(lost);
    expect(kinds([said(vague)], full).some((problem) => problem.startsWith('invented'))).toBe(true);
  });

  it('demands a quoted title word for word', () => {
    const source = said('Ada reads "The Dispossessed" again.');
    expect(kinds([source], 'Ada reads a novel again.')).toEqual(['lost 1 quote the dispossessed']);
    expect(kinds([source], 'Ada is reading The Dispossessed again.')).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    [
      'how often, where each time is listed',
      'Ada takes the tablets twice a day.',
      'Ada takes 5 mg in the morning and 5 mg in the evening.',
      'Ada takes 5 mg of the tablets in the morning and 5 mg in the evening.',
    ],
    [
      'how often, where each hour is listed',
      'The ferry leaves twice a day.',
      'The ferry leaves at 8:15 and 17:40.',
      'The ferry leaves daily at 8:15 and 17:40.',
    ],
    [
      'a rough span, where the years are told',
      'Ben has lived here for three decades.',
      'Ben has lived here for 31 years.',
      'Ben has lived here for 31 years.',
    ],
  ])('takes as said what a finer source says: %s', (_, rough, fine, statement) => {
    expect(kinds([said(rough), said(fine)], statement)).toEqual([]);
    // Only where the finer one is in the statement, and comes to the same.
    expect(kinds([said(rough), said('Ada likes ferries.')], statement)).not.toEqual([]);
    const other = rough.replace('twice', 'three times').replace('three decades', 'two decades');
    expect(kinds([said(other), said(fine)], statement)).toHaveLength(1);
  });

  it('lets no age look like a birthday', () => {
    const age = said('Bruno is 46 years old.', '2026-03-01');
    const statement = (words: string) => kinds([age], `Bruno, ${words}, bakes.`);
    expect(statement('aged 46 as of 1 March 2026')).toEqual([]);
    expect(statement('46 as of 1 March 2026')).toEqual([]);
    expect(statement('46 on 1 March 2026')).toEqual(['invented date 2026-03-01']);
    expect(statement('46 (1 March 2026)')).toEqual(['invented date 2026-03-01']);
  });

  it.each([
    [
      'a month, by a day of it',
      ['In February Ada moved.', 'Ada moved on 28 February 2025.'],
      'Ada moved on 28 February 2025.',
    ],
    [
      'a year, by a day of it',
      ['Ada moved in 2019.', 'On 4 May 2019 Ada moved.'],
      'Ada moved on 4 May 2019.',
    ],
    ['a month and year', ['Ada moved in May 2019.', 'On 4 May 2019 Ada moved.'], 'Ada moved on 4 May 2019.'],
    [
      'a month, by a day and month',
      ['They haul her by mid-May.', 'They haul her by 15 May.'],
      'They haul her by 15 May 2025.',
    ],
    [
      'a year, by a month of another source',
      ['Next year they sail.', 'In June they sail.'],
      'They sail in June 2026.',
    ],
    [
      'a week, by the day of saying',
      ['Ada runs 55 km this week.', 'Ada runs again.'],
      'In the week of 10 March 2025 Ada runs 55 km again.',
    ],
    ['a week, by a day', ['Maeve read last week.', 'Maeve read on 5 March.'], 'Maeve read on 5 March 2025.'],
    [
      'a month, by a weekday',
      ['Ada paid on Friday.', 'Ada has paid since early March.'],
      'Ada paid on 7 March 2025.',
    ],
    [
      'an hour in words',
      ['Every evening at seven he plays.', 'He plays at 19:00.'],
      'He plays every evening at 19:00.',
    ],
    [
      'how often in a week',
      ['Ada swims twice a week.', 'Ada swims on Tuesdays and Fridays.'],
      'Ada swims on Tuesdays and Fridays.',
    ],
    [
      'how often in a day',
      ['The cat gets half a tablet twice a day.', 'The cat gets half a tablet mornings and evenings.'],
      'The cat gets half a tablet mornings and evenings.',
    ],
    [
      'how often in a day, in German',
      [
        'Die Katze bekommt zweimal am Tag eine Tablette.',
        'Die Katze bekommt morgens und abends eine Tablette.',
      ],
      'Die Katze bekommt morgens und abends eine Tablette.',
    ],
    ['a time in words', ['They eat at half past seven.', 'They eat at 19:30.'], 'They eat at 19:30.'],
    [
      'a bound',
      ['It took over four hours.', 'It took four hours and ten minutes.'],
      'It took 4 hours 10 minutes.',
    ],
    [
      'an amount without its unit',
      ['The card cost 17.80.', 'The card cost 17.80 euros.'],
      'The card cost 17.80 euros.',
    ],
    ['a number of persons', ['The two of them sail.', 'Ada and Ben sail.'], 'Ada and Ben sail.'],
  ])('takes what a finer source implies as said: %s', (_, contents, statement) => {
    expect(
      kinds(
        contents.map((content) => said(content)),
        statement,
      ),
    ).toEqual([]);
  });

  it.each([
    [
      'another month',
      ['In March Ada moved.', 'Ada moved on 28 February 2025.'],
      'Ada moved on 28 February 2025.',
      '--03',
    ],
    [
      'a month beside a day of another matter',
      ['Ada signs on 16 May 2025 and has to be out by the end of May.', 'Ada signs.'],
      'Ada signs on 16 May 2025.',
      '--05',
    ],
    ['another year', ['Ada moved in 2018.', 'On 4 May 2019 Ada moved.'], 'Ada moved on 4 May 2019.', '2018'],
    ['a time in figures', ['Ada wakes at 07:30.', 'They eat at 19:30.'], 'They eat at 19:30.', '07:30'],
    [
      'a bound on the other side',
      ['It took over five hours.', 'It took 4 h 10 min.'],
      'It took 4 h 10 min.',
      '300 min',
    ],
    [
      'another week',
      ['Maeve read last week.', 'Maeve read on 15 March.'],
      'Maeve read on 15 March 2025.',
      '2025-03-03',
    ],
    [
      'another hour',
      ['Every evening at six he plays.', 'He plays at 19:00.'],
      'He plays every evening at 19:00.',
      '6',
    ],
    [
      'how often, more than are listed',
      ['Ada swims three times a week.', 'Ada swims on Tuesdays and Fridays.'],
      'Ada swims on Tuesdays and Fridays.',
      '3 times',
    ],
    ['a bound far off', ['It took over four hours.', 'It took 9 h.'], 'It took 9 h.', '240 min'],
    [
      'a finer number that is not in the statement',
      ['It took over four hours.', 'It took 4 h 10 min.'],
      'It took long.',
      '240 min',
    ],
    ['another version', ['Ada runs version 1.1.', 'Ada runs version 1.10.'], 'Ada runs version 1.10.', '1.1'],
  ])('keeps what no finer source implies: %s', (_, contents, statement, value) => {
    expect(
      kinds(
        contents.map((content) => said(content)),
        statement,
      ).join(),
    ).toContain(`lost 1`);
    expect(
      kinds(
        contents.map((content) => said(content)),
        statement,
      ).join(),
    ).toContain(value);
  });

  it('ends with the first problems of texts that have thousands', () => {
    const log = (from: number) =>
      said(Array.from({ length: 1_500 }, (_, at) => `${from + at * 7} km`).join(', '));
    const statement = Array.from({ length: 150 }, (_, at) => `${900_001 + at * 3} km`).join(', ');
    const problems = floorProblems([log(100_000), log(300_000), log(500_000)], statement);
    expect(problems).toHaveLength(64);
    expect(new Set(problems.map(({ source }) => source))).toEqual(new Set([1]));
  });

  it('names the source that lost something', () => {
    const sources = [said('Ben pays 300 euros.'), said('Ben pays 340 euros.')];
    expect(kinds(sources, 'Ben pays 300 euros.')).toEqual(['lost 2 number 340 eur']);
  });

  it.each([
    'On 10 March 2025 Ada said that she sleeps badly.',
    'In March 2025 Ada slept badly.',
    'Ada slept badly (2025).',
    'On the 10th Ada slept badly.',
    'Ada slept badly on March 10.',
    'Ada slept badly (10/3).',
  ])('allows the day on which a source was said, and its month: %s', (statement) => {
    expect(kinds([said('Ada sleeps badly.')], statement)).toEqual([]);
  });

  it('allows no other day', () => {
    expect(kinds([said('Ada sleeps badly.')], 'Ada slept badly on 11 March 2025.')).toEqual([
      'invented date 2025-03-11',
    ]);
    expect(kinds([said('Ada sleeps badly.', null)], 'Ada slept badly on 10 March 2025.')).toEqual([
      'invented date 2025-03-10',
    ]);
  });

  it('takes a relative day for the day that it means, and refuses one that is left standing', () => {
    const source = said('Ada flew home yesterday.');
    expect(kinds([source], 'Ada flew home on 9 March 2025.')).toEqual([]);
    expect(kinds([source], 'Ada flew home on 8 March 2025.')).not.toEqual([]);
    expect(kinds([source], 'Ada flew home yesterday.')).toContain('invented relative_date yesterday');
  });

  it('leaves a day that code cannot resolve to the judge, as long as it is near', () => {
    const source = said('Ada gave up coffee last Friday.');
    expect(kinds([source], 'Ada gave up coffee on 7 March 2025.').filter((p) => p.startsWith('inv'))).toEqual(
      [],
    );
    expect(kinds([source], 'Ada gave up coffee on 7 March 2026.')).toContain('invented date 2026-03-07');
  });

  it('compares amounts by value and unit', () => {
    const source = said('The rent is 1,200 euros.');
    expect(kinds([source], 'The rent is €1200.')).toEqual([]);
    expect(kinds([source], 'The rent is $1200.')).not.toEqual([]);
    expect(kinds([said('Ada has two cats.')], 'Ada has 2 cats.')).toEqual([]);
  });

  it('says nothing of words', () => {
    expect(kinds([said('Ada does not like fish.')], 'Ada likes fish.')).toEqual([]);
  });

  it('finds nothing wrong with a text that repeats its only source, unless it speaks of its own day', () => {
    const texts = fc.stringMatching(/^[A-Za-z0-9 ,.]{1,60}$/);
    fc.assert(
      fc.property(texts, (text) => {
        const problems = floorProblems([said(text)], text);
        expect(problems.filter(({ kind }) => kind !== 'relative_date' && kind !== 'date')).toEqual([]);
      }),
    );
  });

  it('never throws, whatever the texts', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 4 }), fc.string(), (sources, text) => {
        floorProblems(
          sources.map((content) => said(content)),
          text,
        );
      }),
    );
  });
});

describe('floorProblemsInSlices', () => {
  it('sources that are read already: more facts take more slices, and the problems are those of one go', () => {
    const slicesOf = (facts: number) => {
      const list = Array.from({ length: facts }, (_, n) => `${1_000 + n} kg`).join(' and ');
      const sources = [said(`Ada sold ${list}.`), said(`Ada sold ${list} again.`)];
      // What is left is comparing.
      readHardFacts([...sources, said('Ada sold apples.')]);
      const slices = floorProblemsInSlices(sources, `Ada sold ${list}.`);
      let count = 1;
      for (let slice = slices.next(); ; slice = slices.next(), count += 1)
        if (slice.done) {
          expect(slice.value).toEqual(floorProblems(sources, `Ada sold ${list}.`));
          return count;
        }
    };
    expect(slicesOf(400)).toBeGreaterThan(10 * slicesOf(4));
  });
});
