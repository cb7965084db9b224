import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SUMMARY_CHARS, parseFusionAnswer, parseSummaryAnswer, readStoredAnswer } from './answer.ts';

const GOOD = { summary: 'Likes tea', covered: [1, 2], conflicts: [], importance: 5, category: 'fact' };

function parse(overrides: Record<string, unknown>): ReturnType<typeof parseFusionAnswer> {
  return parseFusionAnswer(JSON.stringify({ ...GOOD, ...overrides }), 3);
}

describe('parseFusionAnswer', () => {
  it('reads an answer, also inside a code fence or between words', () => {
    const expected = {
      ok: true,
      answer: {
        summary: 'Likes tea',
        covered: [1, 2],
        conflicts: [],
        hints: { importance: 5, category: 'fact' },
      },
    };
    const json = JSON.stringify(GOOD, null, 2);
    for (const text of [json, `\`\`\`json\n${json}\n\`\`\``, `Here it is:\n${json}\nDone.`]) {
      expect(parseFusionAnswer(text, 3)).toEqual(expected);
    }
  });

  it('removes repetitions, orders numbers and pairs', () => {
    const conflicts = [
      { a: 3, b: 1, kind: 'ambiguous', slot: ' home city ' },
      { a: 1, b: 3, kind: 'contradictory', slot: 'home' },
    ];
    expect(parse({ covered: [3, 1, 3], conflicts })).toMatchObject({
      ok: true,
      answer: { covered: [1, 3], conflicts: [{ a: 1, b: 3, kind: 'contradictory', slot: 'home' }] },
    });
  });

  it.each([
    ['empty', '  '],
    ['not_json', 'This is not valid JSON {broken'],
    ['not_json', '{"summary": "cut'],
    ['not_json', '} {'],
    ['not_json', 'no braces'],
  ])('answers %s for %j', (problem, text) => {
    expect(parseFusionAnswer(text, 3)).toEqual({ ok: false, reason: 'invalid_output', problem });
  });

  it.each([
    ['summary_missing', { summary: undefined }],
    ['summary_missing', { summary: 7 }],
    ['summary_missing', { summary: ' \n' }],
    ['summary_too_long', { summary: 'x'.repeat(MAX_SUMMARY_CHARS + 1) }],
    ['summary_unsafe', { summary: 'a\0b' }],
    ['summary_unsafe', { summary: 'a\uD800b' }],
    ['covered_invalid', { covered: undefined }],
    ['covered_invalid', { covered: '1,2' }],
    ['covered_invalid', { covered: [1.5] }],
    ['covered_invalid', { covered: ['1'] }],
    ['covered_out_of_range', { covered: [1, 4] }],
    ['covered_out_of_range', { covered: [0, 1] }],
    ['covered_out_of_range', { covered: [-1] }],
    ['conflicts_invalid', { conflicts: 'none' }],
    ['conflicts_invalid', { conflicts: [null] }],
    ['conflicts_invalid', { conflicts: [{ a: 1, b: 2, kind: 'other', slot: '' }] }],
    ['conflict_out_of_range', { conflicts: [{ a: 1, b: 4, kind: 'ambiguous', slot: '' }] }],
    ['conflict_out_of_range', { conflicts: [{ a: 1, b: 1, kind: 'ambiguous', slot: '' }] }],
  ])('answers %s', (problem, overrides) => {
    expect(parse(overrides)).toEqual({ ok: false, reason: 'invalid_output', problem });
  });

  it('does without conflicts and drops hints that are none', () => {
    expect(parse({ conflicts: undefined, importance: 11, category: 'gossip' })).toMatchObject({
      ok: true,
      answer: { conflicts: [], hints: {} },
    });
  });

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `{"summary":${json},"covered":${json}}`),
        ),
        (text) => {
          const reading = parseFusionAnswer(text, 3);
          expect(reading.ok || reading.reason === 'invalid_output').toBe(true);
        },
      ),
    );
  });
});

describe('parseSummaryAnswer', () => {
  it('asks for no more than a summary', () => {
    expect(parseSummaryAnswer('{"summary": " Likes tea "}')).toEqual({
      ok: true,
      summary: 'Likes tea',
      hints: {},
    });
    expect(parseSummaryAnswer('{"text": "Likes tea"}')).toEqual({ ok: false, problem: 'summary_missing' });
  });
});

describe('readStoredAnswer', () => {
  const stored = (text: string, stopReason: string): ReturnType<typeof readStoredAnswer> =>
    readStoredAnswer({ text, stopReason, inputTokens: 1, outputTokens: 1, model: 'm' });

  it.each([
    ['refused', 'refusal', '{"a":1}'],
    ['truncated', 'max_tokens', '{"a":[{"b":1},{"b":'],
    ['truncated', 'max_tokens', ''],
    ['invalid_output', 'end_turn', '{"a":[{"b":1},{"b":'],
    ['invalid_output', 'end_turn', 'I cannot say'],
    ['invalid_output', 'end_turn', ''],
  ])('says %s after %s', (reason, stopReason, text) => {
    expect(stored(text, stopReason)).toEqual({ ok: false, reason });
  });

  it('reads whole JSON, also of an answer that was cut off behind it', () => {
    for (const stopReason of ['end_turn', 'max_tokens', 'stop_sequence']) {
      expect(stored('Here: {"a":1} and so', stopReason)).toEqual({ ok: true, value: { a: 1 } });
    }
  });
});
