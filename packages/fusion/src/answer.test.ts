import { describe, expect, it } from 'vitest';
import { MAX_SUMMARY_CHARS, parseSummaryAnswer, readStoredAnswer } from './answer.ts';

describe('parseSummaryAnswer', () => {
  it('asks for no more than a summary', () => {
    expect(parseSummaryAnswer('{"summary": " Likes tea "}')).toEqual({
      ok: true,
      summary: 'Likes tea',
      hints: {},
    });
    expect(parseSummaryAnswer('{"text": "Likes tea"}')).toEqual({ ok: false, problem: 'summary_missing' });
  });

  it.each([
    ['empty', '  '],
    ['not_json', 'This is not valid JSON {broken'],
    ['not_json', '{"summary": "cut'],
    ['not_json', '} {'],
    ['summary_missing', '{"summary": 7}'],
    ['summary_too_long', JSON.stringify({ summary: 'x'.repeat(MAX_SUMMARY_CHARS + 1) })],
    ['summary_unsafe', '{"summary": "a\\u0000b"}'],
  ])('answers %s for an answer of that sort (%#)', (problem, text) => {
    expect(parseSummaryAnswer(text)).toEqual({ ok: false, problem });
  });
});

describe('readStoredAnswer', () => {
  const stored = (text: string, stopReason: string): ReturnType<typeof readStoredAnswer> =>
    readStoredAnswer({ text, stopReason, inputTokens: 1, outputTokens: 1, model: 'm' }, ['a']);

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
