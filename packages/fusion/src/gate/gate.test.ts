import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterOf } from '../testing/samples.ts';
import { checkGate, type GateContext, type GateVerdict, runLimit } from './gate.ts';

const CONTEXT: GateContext = { latestCount: 1_000, alreadySuperseded: 0 };

function gate(sources: string[], summary: string, covered = sources.map((_, n) => n + 1)): GateVerdict {
  return checkGate(clusterOf(...sources), summary, covered, CONTEXT);
}

function coveredOf(verdict: GateVerdict): string[] | string {
  return verdict.ok ? verdict.coveredIds : verdict.reason;
}

const DUBLIN = ['Lives in Dublin', 'Works at a tech company in Dublin', 'The office is near Trinity College'];

describe('a good summary', () => {
  it.each([
    [DUBLIN, 'Lives and works at a tech company in Dublin; the office is near Trinity College'],
    [
      ['Has 3 cats', 'The cats are called Milo, Otto and Pia', 'Adopted Pia on 3 May 2024'],
      'Has three cats called Milo, Otto and Pia; adopted Pia on 2024-05-03',
    ],
    [
      ['Earns 1,000 euros a month', 'The salary of 1000 EUR arrives on Fridays', 'Saves 20% of the salary'],
      'Earns €1000 a month; the salary arrives on Fridays; saves 20 percent of it',
    ],
    [
      ['Does not eat meat', "Doesn't eat fish", 'Eats lunch at 2 pm'],
      'Does not eat meat or fish; eats lunch at 14:00',
    ],
    [
      ['東京に住んでいる', '東京の会社で働いている', 'ジャズが好き'],
      '東京に住み、東京の会社で働き、ジャズが好き',
    ],
    [['他住在北京', '他在北京工作', '他喜欢爵士乐'], '他住在北京并工作，喜欢爵士乐'],
    [
      ['Really likes jazz', 'Likes jazz concerts', 'Plays jazz piano'],
      'Likes jazz and jazz concerts, plays jazz piano',
    ],
  ])('is accepted: %j', (sources, summary) => {
    expect(coveredOf(gate(sources, summary))).toEqual(['m1', 'm2', 'm3']);
  });
});

describe('part 1: shorter', () => {
  it('refuses what is as long as the sources', () => {
    expect(coveredOf(gate(['Ann', 'Bob', 'Cleo'], 'AnnBobCleo'))).toBe('not_shorter');
  });
});

describe('part 2: hard atoms of covered sources', () => {
  const three = (odd: string): string[] => [
    `${odd}, and that is really so`,
    'Likes green tea in the morning',
    'Likes black tea in the evening',
  ];
  const rest = 'Likes green tea in the morning and black tea in the evening';

  it.each([
    ['number', 'Has 3 sons', 'Has sons.'],
    ['number', 'Has 3 sons', 'Has 4 sons.'],
    ['number', 'Takes 5 mg of aspirin', 'Takes 5 g of aspirin.'],
    ['number', 'Runs 5 km', 'Runs 5.'],
    ['date', 'Was married on 3 May', 'Was married on 4 May.'],
    ['date', 'Was married on 3 May 2024', 'Was married in 2024.'],
    ['date', 'Was due 3/5/2024', 'Was due 5/3/2024.'],
    ['time', 'Wakes at 6:30', 'Wakes at 7:30.'],
    ['name', 'Works with Ann', 'Works.'],
    ['name', 'Ann visits', 'Visits.'],
    ['email', 'Uses ann@example.com', 'Uses.'],
    ['url', 'Reads https://example.com/a', 'Reads.'],
    ['negation', 'Does not drive', 'Does drive.'],
    ['negation', 'Never smoked cigars', 'Smoked cigars.'],
  ])('counts a source as lost with its %s: %j in %j', (kind, source, said) => {
    const verdict = checkGate(clusterOf(...three(source)), `${said} ${rest}`, [1, 2, 3], CONTEXT);
    const lost = verdict.ok ? null : verdict.missing.lost.map((one) => one.kind);
    // A wrong value is an invention too; either way the source is not covered.
    if (verdict.ok) expect(verdict.coveredIds).toEqual(['m2', 'm3']);
    else expect(lost).toContain(kind);
  });

  it('refuses a summary in which a negation moved to another predicate', () => {
    const sources = ['Bob does not drive', 'Ann is not vegetarian', 'Ann and Bob live there in Cork'];
    const verdict = gate(sources, 'Ann is not vegetarian; Bob does drive; Ann and Bob live in Cork');
    expect(coveredOf(verdict)).toBe('fact_loss');
  });
});

describe('part 3: content words', () => {
  it('keeps a source latest whose words vanished, though it has no atom', () => {
    const sources = ['Likes jazz', 'Plays the piano on weekends', 'Plays the guitar on weekends'];
    expect(coveredOf(gate(sources, 'Plays piano and guitar on weekends'))).toEqual(['m2', 'm3']);
  });

  it('accepts plain other forms', () => {
    const sources = ['Enjoyed hiking trips', 'Plans running races', 'Studies baking'];
    expect(coveredOf(gate(sources, 'Enjoys hike trip, plan to run race, bakes, study'))).toEqual([
      'm1',
      'm2',
      'm3',
    ]);
  });

  it.each([
    ['ジャズが好き', '東京に住み、会社で働いている'],
    ['東京の会社で働いている', '大阪の会社で働いている。東京に住む'],
    ['他喜欢爵士乐', '他住在东京和大阪'],
  ])('compares characters where no spaces stand: %j is not in %j', (lost, summary) => {
    const others = [
      '東京に住んでいる。会社で働いている。大阪の会社で働いている',
      '东京和大阪他住在那里很久了很久了',
    ];
    const verdict = checkGate(clusterOf(lost, ...others), summary, [1], CONTEXT);
    expect(coveredOf(verdict)).toBe(lost === '東京の会社で働いている' ? 'too_few_covered' : 'fact_loss');
  });

  it('does not take a source that it cannot compare for covered', () => {
    expect(coveredOf(gate(['👍👍👍👍👍👍👍👍', 'Likes tea', 'Likes milk'], 'Likes tea, milk'))).toEqual([
      'm2',
      'm3',
    ]);
  });
});

describe('part 4: nothing invented', () => {
  it.each([
    ['name', `${DUBLIN.join('. ')}, Cork`],
    ['word', 'Cleo lives and works at a tech company in Dublin. The office is near Trinity College'],
    ['number', 'Lives and works at a tech company in Dublin; the office is near Trinity College, 5 km'],
    ['date', 'Lives and works at a tech company in Dublin; the office is near Trinity College since 2020'],
    ['time', 'Lives and works at a tech company in Dublin; the office is near Trinity College, 9:00'],
    ['email', 'Lives and works at a tech company in Dublin; office is near Trinity College a@b.ie'],
    ['negation', 'Never lives and works at a tech company in Dublin; office near Trinity College'],
  ])('refuses a new %s: %j', (kind, summary) => {
    const verdict = gate([...DUBLIN, 'Something long enough to be longer than all that'], summary, [1, 2, 3]);
    expect(verdict).toMatchObject({ ok: false, reason: 'invented' });
    expect(verdict.ok ? [] : verdict.missing.invented.map((one) => one.kind)).toContain(kind);
  });

  it('does not call a less exact date or amount an invention', () => {
    const sources = ['Moved on 3 May 2024', 'Ran 5 km and 10 km', 'Likes the sea', 'Likes the mountains'];
    expect(coveredOf(gate(sources, 'Moved in May 2024; ran 5 and 10 km; likes the sea, mountains'))).toEqual([
      'm3',
      'm4',
    ]);
  });
});

describe('part 5: not too much at once', () => {
  it('allows the larger of 16 and a quarter', () => {
    expect([runLimit(0), runLimit(64), runLimit(100), runLimit(1_000)]).toEqual([16, 16, 25, 250]);
  });

  it('counts what the run has superseded already', () => {
    const cluster = clusterOf(...DUBLIN);
    const summary = 'Lives and works at a tech company in Dublin; the office is near Trinity College';
    const judge = (alreadySuperseded: number): string[] | string =>
      coveredOf(checkGate(cluster, summary, [1, 2, 3], { latestCount: 20, alreadySuperseded }));
    expect(judge(13)).toEqual(['m1', 'm2', 'm3']);
    expect(judge(14)).toBe('share_exceeded');
  });
});

describe('claims', () => {
  const summary = 'Lives and works at a tech company in Dublin; the office is near Trinity College';

  it('covers only what the model claims and the code verifies', () => {
    expect(coveredOf(gate(DUBLIN, summary, [2, 3]))).toEqual(['m2', 'm3']);
    expect(coveredOf(gate(DUBLIN, summary, [3, 3, 3]))).toBe('too_few_covered');
    expect(coveredOf(gate(DUBLIN, summary, []))).toBe('too_few_covered');
    expect(coveredOf(gate(DUBLIN, 'Lives in Dublin'))).toBe('fact_loss');
  });

  it('refuses numbers that were not given and an empty summary', () => {
    expect(coveredOf(gate(DUBLIN, summary, [1, 2, 4]))).toBe('invalid_output');
    expect(coveredOf(gate(DUBLIN, summary, [0, 1]))).toBe('invalid_output');
    expect(coveredOf(gate(DUBLIN, '  '))).toBe('invalid_output');
  });

  it('counts and names what is missing', () => {
    const verdict = gate(
      ['Has 3 sons', 'Likes tea with Ann', 'Likes long walks by the sea'],
      'Likes tea and walks',
    );
    expect(verdict).toMatchObject({
      ok: false,
      reason: 'fact_loss',
      counts: { sources: 3, claimed: 3, covered: 0, lostAtoms: 2, lostWords: 3, invented: 0 },
    });
    expect(verdict.ok ? [] : verdict.missing.lost).toContainEqual({ source: 2, kind: 'name', value: 'ann' });
  });
});

it('never covers a source whose only number is missing, and accepts its own sources put together', () => {
  const source = fc.tuple(fc.constantFrom('Ann', 'Bob', 'Cleo'), fc.integer({ min: 2, max: 9_999 }));
  fc.assert(
    fc.property(
      fc.uniqueArray(source, { minLength: 3, maxLength: 6, selector: ([, count]) => count }),
      (parts) => {
        const sources = parts.map(([name, count]) => `It is known that ${name} owns ${count} marbles`);
        const whole = parts.map(([name, count]) => `known ${name} owns ${count} marbles`).join('; ');
        expect(coveredOf(gate(sources, whole))).toHaveLength(parts.length);
        const [first, ...others] = parts;
        const without = others.map(([name, count]) => `known ${name} owns ${count} marbles`).join('; ');
        const verdict = gate(sources, without);
        expect(first && verdict.ok && verdict.coveredIds.includes('m1')).toBe(false);
      },
    ),
  );
});
