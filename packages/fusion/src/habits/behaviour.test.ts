import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AT, DAY } from '../testing/samples.ts';
import { type Behaviour, type DayActivity, updateBehaviour } from './behaviour.ts';

interface DaySketch {
  messages?: number;
  length?: number;
  questions?: number;
  hour?: number;
  topics?: string[];
}

/** The day number `n` with messages of one length in one hour. */
function day(
  n: number,
  { messages = 10, length = 100, questions = 0, hour = 9, topics = [] }: DaySketch = {},
): DayActivity {
  return {
    day: `day ${n}`,
    messages,
    characters: messages * length,
    questions,
    hours: Array.from({ length: 24 }, (_, h) => (h === hour ? messages : 0)),
    topics,
    at: AT + n * DAY,
  };
}

function days(from: number, count: number, sketch: DaySketch): DayActivity[] {
  return Array.from({ length: count }, (_, index) => day(from + index, sketch));
}

/** A user of long standing: so many messages that new ones weigh by time alone. */
function settled(sketch: DaySketch = {}): Behaviour {
  return { ...updateBehaviour(null, [day(0, sketch)])!, messages: 1_000_000 };
}

describe('updateBehaviour', () => {
  it('knows nothing from nothing, and changes nothing by nothing', () => {
    expect(updateBehaviour(null, [])).toBeNull();
    expect(updateBehaviour(null, [day(0, { messages: 0 })])).toBeNull();
    const before = settled();
    expect(updateBehaviour(before, [])).toBe(before);
    expect(updateBehaviour(before, [day(1, { messages: 0 })])).toBe(before);
  });

  it('begins with the first day as it is', () => {
    expect(updateBehaviour(null, [day(0, { length: 40, questions: 5, topics: ['tea'] })])).toEqual({
      messages: 10,
      messageLength: { value: 40, trend: 'steady' },
      hours: Array.from({ length: 24 }, (_, hour) => (hour === 9 ? 1 : 0)),
      activeHours: [9],
      topics: [{ topic: 'tea', weight: 1 }],
      questionShare: { value: 0.5, trend: 'steady' },
      style: 'terse',
      updatedAt: AT,
    });
  });

  it('has gone 1 - 1/e of the way after seven days', () => {
    const after = updateBehaviour(settled({ length: 100 }), days(1, 7, { length: 200, questions: 10 }))!;
    expect(after.messageLength.value).toBeCloseTo(200 - 100 / Math.E, 2);
    expect(after.questionShare.value).toBeCloseTo(1 - 1 / Math.E, 4);
    expect(after.updatedAt).toBe(AT + 7 * DAY);
    expect(after.messages).toBe(1_000_070);
  });

  it('averages plainly while there is little, so that a first message does not weigh for weeks', () => {
    const after = updateBehaviour(null, [
      day(0, { messages: 1, length: 1_000 }),
      day(1, { messages: 99, length: 100 }),
    ])!;
    expect(after.messageLength.value).toBeCloseTo((1_000 + 99 * 100) / 100, 6);
  });

  it('does not let one day after a long silence wipe out what was known', () => {
    const after = updateBehaviour(settled({ length: 100 }), [day(365, { length: 200 })])!;
    expect(after.messageLength.value).toBeCloseTo(200 - 100 / Math.E, 2);
  });

  it('counts a part of a day for a quarter of one, however soon it follows', () => {
    const after = updateBehaviour(settled({ length: 100 }), [
      { ...day(0, { length: 200 }), at: AT + 60_000 },
    ])!;
    expect(after.messageLength.value).toBeCloseTo(200 - 100 * Math.exp(-0.25 / 7), 2);
  });

  it.each([
    [121, 6, 'rising', 'rising'],
    [79, 0, 'falling', 'falling'],
    [119, 4, 'steady', 'steady'],
  ] as const)(
    'sees a trend in messages of %d characters with %d questions',
    (length, questions, long, asked) => {
      const before = settled({ length: 100, questions: 4 });
      const after = updateBehaviour(before, [day(1, { length, questions })])!;
      expect(after.messageLength.trend).toBe(long);
      expect(after.questionShare.trend).toBe(asked);
    },
  );

  it('leaves a trend as it is on a day with too few messages', () => {
    const rising = updateBehaviour(settled(), [day(1, { length: 500 })])!;
    expect(updateBehaviour(rising, [day(2, { messages: 4, length: 1 })])!.messageLength.trend).toBe('rising');
    expect(updateBehaviour(rising, [day(2, { messages: 5, length: 1 })])!.messageLength.trend).toBe(
      'falling',
    );
  });

  it.each([
    [79, 'terse'],
    [80, 'balanced'],
    [299, 'balanced'],
    [300, 'expansive'],
  ] as const)('calls messages of %d characters %s', (length, style) => {
    expect(updateBehaviour(null, [day(0, { length })])!.style).toBe(style);
  });

  it('calls hours active from 1.5 times an even share', () => {
    const counts = Array.from({ length: 24 }, () => 10);
    const of = (eighth: number): number[] => {
      const hours = counts.map((count, hour) => (hour === 8 ? eighth : count));
      return updateBehaviour(null, [{ ...day(0), hours }])!.activeHours;
    };
    expect(of(10)).toEqual([]);
    // 15.34 of 245.34 is just above one sixteenth, 15.32 of 245.32 below.
    expect(of(15.34)).toEqual([8]);
    expect(of(15.32)).toEqual([]);
  });

  it('moves to other hours with the user', () => {
    const after = updateBehaviour(settled({ hour: 9 }), days(1, 30, { hour: 21 }))!;
    expect(after.activeHours).toEqual([21]);
    expect(after.hours[9]).toBeCloseTo(Math.exp(-30 / 7), 4);
  });

  it('keeps the hours when a day tells none', () => {
    const hourless = { ...day(1), hours: [] };
    expect(updateBehaviour(settled(), [hourless])!.hours).toEqual(settled().hours);
    expect(updateBehaviour(null, [hourless])!.activeHours).toEqual([]);
  });

  it('takes topics of a day without messages, and keeps them on a day without topics', () => {
    const before = settled({ topics: ['tea'] });
    const named = updateBehaviour(before, [day(1, { messages: 0, topics: ['rust'] })])!;
    expect(named.topics.map(({ topic }) => topic)).toEqual(['tea', 'rust']);
    expect(named).toMatchObject({ messages: before.messages, updatedAt: before.updatedAt });
    expect(updateBehaviour(before, [day(1)])!.topics).toEqual(before.topics);
  });
});

describe('updateBehaviour over any days', () => {
  const sketch = fc.record({
    messages: fc.nat(200),
    length: fc.integer({ min: 1, max: 2_000 }),
    hour: fc.nat(23),
    topics: fc.array(fc.constantFrom('tea', 'Tea', 'rust', 'goats', 'x y'), { maxLength: 4 }),
    asked: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const activity = fc
    .array(fc.tuple(sketch, fc.integer({ min: 1, max: 20 })), { minLength: 1, maxLength: 12 })
    .map((steps) => {
      let at = 0;
      return steps.map(([{ asked, ...rest }, gap]) => {
        at += gap;
        return day(at, { ...rest, questions: Math.floor(rest.messages * asked) });
      });
    });

  it('keeps hours a distribution, shares within bounds and averages between what was seen', () => {
    fc.assert(
      fc.property(activity, (input) => {
        const result = updateBehaviour(null, input);
        const spoken = input.filter(({ messages }) => messages > 0);
        expect(result === null).toBe(spoken.length === 0);
        if (result === null) return;
        expect(result.hours).toHaveLength(24);
        expect(result.hours.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
        expect(result.hours.every((share) => share >= 0)).toBe(true);
        const lengths = spoken.map(({ characters, messages }) => characters / messages);
        expect(result.messageLength.value).toBeGreaterThanOrEqual(Math.min(...lengths) - 1e-9);
        expect(result.messageLength.value).toBeLessThanOrEqual(Math.max(...lengths) + 1e-9);
        expect(result.questionShare.value).toBeGreaterThanOrEqual(0);
        expect(result.questionShare.value).toBeLessThanOrEqual(1);
        expect(result.topics.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(1 + 1e-9);
        expect(result.messages).toBe(spoken.reduce((sum, { messages }) => sum + messages, 0));
      }),
    );
  });

  it('comes to the same in one go, day by day, and in any order', () => {
    fc.assert(
      fc.property(activity, fc.integer(), (input, seed) => {
        const whole = updateBehaviour(null, input);
        let stepwise: Behaviour | null = null;
        for (const one of input) stepwise = updateBehaviour(stepwise, [one]);
        const shuffled = [...input].sort((a, b) => ((a.at * 31 + seed) % 17) - ((b.at * 31 + seed) % 17));
        expect(stepwise).toEqual(whole);
        expect(updateBehaviour(null, shuffled)).toEqual(whole);
      }),
    );
  });
});
