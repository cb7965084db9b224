import { describe, expect, it } from 'vitest';
import { askModel } from '../ask.ts';
import { isRepeat } from '../gate/fast-lane.ts';
import { floorProblems } from '../gate/floor.ts';
import { createStatementModel, type Judgement, type ShownItem } from '../testing/statement-model.ts';
import { EXAM, takeExam } from './exam.ts';

const hash = (text: string): string => {
  let state = 17;
  let hex = '';
  for (let round = 0; round < 8; round += 1) {
    for (const sign of text) state = (Math.imul(state, 41) + sign.codePointAt(0)! + round) >>> 0;
    hex += state.toString(16).padStart(8, '0');
  }
  return hex;
};

const labelOf = ({ statement, sources }: ShownItem) =>
  EXAM.find((item) => item.statement === statement && item.sources.some((text) => text === sources[0]!.text))!
    .label;
const right = (item: ShownItem): Judgement => (labelOf(item) === 'good' ? 'same' : 'changed');
const take = (judge: (item: ShownItem) => Judgement, canary?: () => Judgement) => {
  const model = createStatementModel({ write: () => null, judge, ...(canary ? { canary } : {}) });
  return takeExam(({ request }) => askModel(model, request), hash);
};

describe('the exam of a judge', () => {
  it('has nothing in it that code could tell: each statement passes the floor, and none is a repetition', () => {
    for (const { sources, days, statement } of EXAM) {
      const said = sources.map((content, at) => ({ content, day: days?.[at] ?? '2025-03-10' }));
      expect(floorProblems(said, statement), statement).toEqual([]);
      expect(isRepeat(said, statement), statement).toBe(false);
    }
    expect(EXAM.filter(({ label }) => label === 'good')).toHaveLength(EXAM.length / 2);
  });

  it('is passed by a judge who is right', async () => {
    expect(await take(right)).toMatchObject({
      passed: true,
      goodAccepted: EXAM.length / 2,
      unsafeAccepted: 0,
      wrong: [],
    });
  });

  it('is failed by one who accepts everything, nothing, or one unsafe statement', async () => {
    expect(await take(() => 'same')).toMatchObject({ passed: false, unsafeAccepted: EXAM.length / 2 });
    expect(await take(() => 'changed')).toMatchObject({ passed: false, goodAccepted: 0 });
    const unsafe = EXAM.find(({ label }) => label === 'unsafe')!.statement;
    const once = (item: ShownItem) =>
      item.statement === unsafe && labelOf(item) === 'unsafe' ? 'same' : right(item);
    expect(await take(once)).toMatchObject({ passed: false, unsafeAccepted: 1, wrong: [1] });
  });

  it('is failed by one who is wrong about canaries, whatever else is right', async () => {
    expect(await take(right, () => 'same')).toMatchObject({ passed: false, goodAccepted: 0 });
  });
});
