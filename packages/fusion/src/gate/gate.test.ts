import { describe, expect, it } from 'vitest';
import type { Vote } from '../judge/answer.ts';
import { HOSTILE } from '../testing/hostile.ts';
import { checkGate, checkGateInSlices } from './gate.ts';

const YES: Vote = { ok: true };
const NO: Vote = { ok: false, reason: 'lost', details: ['brown'] };
const said = (...contents: string[]) => contents.map((content) => ({ content, day: '2025-03-10' }));
const PLAIN = said('Ada keeps hens.', 'Ada keeps brown hens.');
const EXAMINED = { isExamined: true };

describe('the lane of a statement', () => {
  it('is the floor where a hard fact is gone, whatever the judge says', () => {
    const sources = said('Ada keeps 12 hens.', 'Ada keeps hens.');
    expect(checkGate(sources, 'Ada keeps hens.', [YES, YES], EXAMINED)).toMatchObject({
      lane: 'floor',
      accepted: false,
      problems: [{ problem: 'lost', kind: 'number' }],
    });
  });

  it('needs no judge for a repeat', () => {
    expect(checkGate(said('Ada keeps hens.', 'ada keeps hens'), 'Ada keeps hens.', [], EXAMINED)).toEqual({
      lane: 'repeat',
      accepted: true,
    });
  });

  it('stays open until the votes that it needs are there', () => {
    expect(checkGate(PLAIN, 'Ada keeps brown hens.', [], EXAMINED)).toEqual({
      lane: 'open',
      accepted: false,
      needed: 1,
    });
    expect(checkGate(PLAIN, 'Ada keeps brown hens.', [YES], EXAMINED)).toEqual({
      lane: 'judge',
      accepted: true,
    });
  });

  it.each([
    ['a flag', said('Ada keeps no hens.', 'Ada has no brown hens.'), 'Ada keeps no brown hens.', true],
    ['a judge without an exam', PLAIN, 'Ada keeps brown hens.', false],
  ])('needs two votes for %s', (_, sources, statement, isExamined) => {
    expect(checkGate(sources, statement, [YES], { isExamined })).toMatchObject({ lane: 'open', needed: 2 });
    expect(checkGate(sources, statement, [YES, YES], { isExamined })).toEqual({
      lane: 'judge',
      accepted: true,
    });
  });

  it.each([[[NO]], [[YES, NO]], [[NO, YES]]])('is refused by a single no: %#', (votes) => {
    expect(checkGate(PLAIN, 'Ada keeps brown hens.', votes, EXAMINED)).toEqual({
      lane: 'judge',
      accepted: false,
      reason: 'lost',
      details: ['brown'],
    });
  });
});

describe('checkGateInSlices', () => {
  it.each(HOSTILE)('long sources, %s: the verdict of one go, after several slices', (_name, textOf) => {
    const sources = () => said(...[1, 2, 3].map((n) => `${textOf(4_000)}\nAnna has ${n} apples.`));
    const slices = checkGateInSlices(sources(), textOf(1_000), [], EXAMINED);
    let count = 0;
    for (let slice = slices.next(); ; slice = slices.next()) {
      count += 1;
      if (!slice.done) continue;
      expect(slice.value).toEqual(checkGate(sources(), textOf(1_000), [], EXAMINED));
      break;
    }
    expect(count).toBeGreaterThan(sources().length);
  });

  it('a statement whose votes depend on its flags: a slice more for each text', () => {
    const countOf = (isExamined: boolean) => {
      let count = 0;
      for (const _ of checkGateInSlices(PLAIN, 'Ada keeps brown hens.', [], { isExamined })) count += 1;
      return count;
    };
    expect(countOf(true) - countOf(false)).toBe(PLAIN.length + 1);
  });
});
