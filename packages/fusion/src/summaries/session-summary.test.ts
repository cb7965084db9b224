import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { readFence, safeText } from '../fence.ts';
import { NASTY, outsideOfFences, stored } from '../testing/answers.ts';
import { judgeSummary } from './judge-summary.ts';
import { MAX_MESSAGE_CHARS, MAX_SESSION_CHARS, type SummaryMessage } from './messages.ts';
import {
  buildSummaryRequest,
  MAX_SESSION_SUMMARY_CHARS,
  readSummaryRequest,
  SUMMARY_SCHEMA,
} from './session-summary.ts';

const SAID_AT = Date.UTC(2026, 4, 3, 23, 59);

function say(content: string, role: SummaryMessage['role'] = 'user', saidAt = SAID_AT): SummaryMessage {
  return { role, content, saidAt };
}

function contentOf(messages: SummaryMessage[]): string {
  return buildSummaryRequest(messages).messages[0]!.content;
}

const TALK = [
  say('I want to learn the cello. I fly to Lisbon tomorrow and do not eat meat.'),
  say('For the cello, Mrs Almeida teaches beginners on Fridays at 18:30 for 40 euros.', 'assistant'),
  say('Good, book her. What can I cook with lentils?'),
  say('A lentil stew with cumin works well.', 'assistant'),
];
const TOPICS = ['cello', 'Lisbon', 'lentil stew'];
const SUMMARY =
  'The user wants to learn the cello and flies to Lisbon. The assistant found Mrs Almeida, who teaches on Fridays at 6:30 pm for €40.';

function judge(fields: Record<string, unknown>): ReturnType<typeof judgeSummary> {
  return judgeSummary(TALK, stored({ summary: SUMMARY, topics: TOPICS, ...fields }));
}

describe('buildSummaryRequest', () => {
  it('shows who said what on which day', () => {
    const request = buildSummaryRequest([
      say('Hello'),
      say('Hi', 'assistant', SAID_AT + 120_000),
      say('{}', 'tool', Number.NaN),
    ]);
    expect(readSummaryRequest(request)).toEqual([
      { n: 1, role: 'user', date: '2026-05-03', text: 'Hello' },
      { n: 2, role: 'assistant', date: '2026-05-04', text: 'Hi' },
      { n: 3, role: 'tool', date: null, text: '{}' },
    ]);
    expect(request).toMatchObject({ schema: SUMMARY_SCHEMA, temperature: 0.1 });
    expect(request.system).toContain('nor turn them into a date');
    const { signal } = new AbortController();
    expect(buildSummaryRequest(TALK, { signal }).signal).toBe(signal);
  });

  it('gives messages back whatever they hold, and nothing in them changes a word of the task', () => {
    const plain = buildSummaryRequest([say('Hello')]);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: CODE_POINT }), fc.constantFrom(...NASTY)), {
          minLength: 1,
          maxLength: 8,
        }),
        (texts) => {
          const request = buildSummaryRequest(texts.map((text) => say(text)));
          expect(readSummaryRequest(request)?.map(({ text }) => text)).toEqual(texts.map(safeText));
          expect(request.system).toBe(plain.system);
          expect(outsideOfFences(request.messages[0]!.content)).toBe(
            outsideOfFences(plain.messages[0]!.content),
          );
        },
      ),
    );
  });

  it('keeps the beginning and the end of a long session and says what is missing', () => {
    const messages = Array.from({ length: 200 }, (_, index) =>
      say(`Message ${index + 1} ${'x'.repeat(400)}`),
    );
    const shown = readSummaryRequest(buildSummaryRequest(messages))!;
    const numbers = shown.map(({ n }) => n);
    expect(numbers[0]).toBe(1);
    expect(numbers.at(-1)).toBe(200);
    const gap = numbers.findIndex((n, index) => n !== index + 1);
    const omitted = numbers[gap]! - gap - 1;
    expect(numbers.slice(gap)).toEqual(numbers.slice(gap).map((_, index) => numbers[gap]! + index));
    expect(Math.abs(gap - (numbers.length - gap))).toBeLessThanOrEqual(1);
    const items = readFence('MESSAGES', contentOf(messages))!;
    expect(items[gap]).toMatchObject({ omitted });
    expect(items).toHaveLength(numbers.length + 1);
    expect(shown[gap]!.text).toBe(messages[numbers[gap]! - 1]!.content);
  });

  it('counts what stands around many short messages as well', () => {
    const messages = Array.from({ length: 5_000 }, () => say('ok'));
    expect(readSummaryRequest(buildSummaryRequest(messages))!.length).toBeLessThan(500);
  });

  it('is bounded for any session', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 1, maxLength: 600 }),
        (lengths) => {
          const messages = lengths.map((length, index) => say(String(index % 10).repeat(length)));
          const shown = readSummaryRequest(buildSummaryRequest(messages))!;
          expect(shown.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(
            MAX_SESSION_CHARS,
          );
          expect([shown[0]!.n, shown.at(-1)!.n]).toEqual([1, lengths.length]);
          const total = lengths.reduce((sum, length) => sum + Math.min(length, MAX_MESSAGE_CHARS) + 60, 0);
          if (total <= MAX_SESSION_CHARS) expect(shown).toHaveLength(lengths.length);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('shows the beginning and the end of one long message', () => {
    const [shown] = readSummaryRequest(buildSummaryRequest([say(`first ${'word '.repeat(9_000)}last`)]))!;
    expect(shown!.text.length).toBeLessThanOrEqual(MAX_MESSAGE_CHARS);
    expect(shown!.text).toMatch(/^first word .*word\n…\nword .* last$/s);
  });

  it('reads back no other request', () => {
    expect(readSummaryRequest({ messages: [{ role: 'user', content: 'Hello' }] })).toBeNull();
    expect(readSummaryRequest(buildSummaryRequest([]))).toBeNull();
    const answered = { role: 'assistant' as const, content: contentOf(TALK) };
    expect(readSummaryRequest({ messages: [answered] })).toBeNull();
  });
});

describe('judgeSummary', () => {
  it('takes an answer that says what the messages say, in another spelling', () => {
    expect(judge({})).toEqual({ ok: true, summary: SUMMARY, topics: TOPICS });
  });

  it('cuts the summary after three sentences and the topics after seven', () => {
    const summary = 'The user likes the cello.\nThe user cooks.\nThe user flies. The user moved to Mars.';
    const topics = ['cello', ' Cello ', 'lentils', 'cumin', 'meat', 'stew', 'cook', 'beginners', 'learn', ''];
    expect(judge({ summary, topics })).toEqual({
      ok: true,
      summary: 'The user likes the cello. The user cooks. The user flies.',
      topics: ['cello', 'lentils', 'cumin', 'meat', 'stew', 'cook', 'beginners'],
    });
  });

  it('takes fewer than three sentences, and of long ones those that fit', () => {
    expect(judge({ summary: 'The user likes the cello.' })).toMatchObject({ ok: true });
    const long = `The user likes ${'the cello '.repeat(80)}.`;
    expect(judge({ summary: `${long} ${long}` })).toMatchObject({ ok: true, summary: long.trim() });
    const endless = `The user likes ${'the cello '.repeat(MAX_SESSION_SUMMARY_CHARS / 10)}.`;
    expect(judge({ summary: endless })).toEqual({ ok: false, reason: 'invalid_output' });
  });

  it.each([
    ['no summary', { summary: undefined }],
    ['an empty summary', { summary: ' \n' }],
    ['nothing but marks', { summary: '... !' }],
    ['unsafe text', { summary: 'The user\0 likes the cello.' }],
    ['no topics', { topics: undefined }],
    ['two topics', { topics: ['cello', 'Lisbon'] }],
    ['two topics, one of them twice', { topics: ['cello', 'Lisbon', 'CELLO'] }],
    ['topics that are none', { topics: ['cello', 'Lisbon', 7, null, '', '!', 'x\uD800', 'x'.repeat(61)] }],
  ])('refuses %s', (_, fields) => {
    expect(judge(fields)).toEqual({ ok: false, reason: 'invalid_output' });
  });

  it.each([
    ['a name', 'The user wants to learn the cello with Bob.'],
    ['a name at the beginning', 'Bob wants to learn the cello.'],
    ['a number', 'The user wants to learn the cello for 400 euros.'],
    ['a date that the day and "tomorrow" give', 'The user flies to Lisbon on 4 May 2026.'],
    ['the day itself', 'The user flies to Lisbon on 2026-05-03.'],
    ['a weekday', 'The user flies to Lisbon on Monday.'],
    ['a negation', 'The user does not want to learn the cello.'],
  ])('finds %s invented', (_, summary) => {
    expect(judge({ summary })).toEqual({ ok: false, reason: 'invented' });
  });

  it('lets a negation stand that a message has', () => {
    expect(judge({ summary: 'The user does not eat meat.' })).toMatchObject({ ok: true });
  });

  it('drops invented topics, and the answer when too few are left', () => {
    expect(judge({ topics: ['cello', 'trip to Paris', 'Lisbon', 'cumin'] })).toMatchObject({
      topics: ['cello', 'Lisbon', 'cumin'],
    });
    expect(judge({ topics: ['cello', 'trip to Paris', 'Lisbon'] })).toEqual({
      ok: false,
      reason: 'invented',
    });
  });

  it('does not take from the part of a session that was not shown', () => {
    const filler = Array.from({ length: 20 }, () =>
      say(`I like the cello, food and rest. ${'so '.repeat(900)}`),
    );
    const answer = stored({ summary: 'The user met Zoe.', topics: ['cello', 'food', 'rest'] });
    expect(judgeSummary([say('I met Zoe'), ...filler], answer)).toMatchObject({ ok: true });
    const hidden = [...filler.slice(0, 10), say('I met Zoe'), ...filler.slice(10)];
    expect(judgeSummary(hidden, answer)).toEqual({ ok: false, reason: 'invented' });
  });

  it('says how an answer ended that cannot be read', () => {
    expect(judgeSummary(TALK, stored('', 'refusal'))).toEqual({ ok: false, reason: 'refused' });
    expect(judgeSummary(TALK, stored('{"summary": "The', 'max_tokens'))).toEqual({
      ok: false,
      reason: 'truncated',
    });
  });

  it('never throws, and what it takes is within all bounds', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.oneof(fc.json(), fc.string()), (texts, json) => {
        const text = `{"summary":${json},"topics":["aa","bb","cc",${json}]}`;
        const verdict = judgeSummary(
          texts.map((content) => say(content)),
          stored(text),
        );
        if (!verdict.ok) return;
        expect(verdict.summary.length).toBeLessThanOrEqual(MAX_SESSION_SUMMARY_CHARS);
        expect(verdict.topics.length).toBeGreaterThanOrEqual(3);
        expect(verdict.topics.length).toBeLessThanOrEqual(7);
      }),
    );
  });
});
