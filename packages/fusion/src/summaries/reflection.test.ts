import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { safeText } from '../fence.ts';
import { NASTY, outsideOfFences, stored } from '../testing/answers.ts';
import { judgeReflection } from './judge-reflection.ts';
import {
  buildReflectionRequest,
  MAX_INSIGHT_CHARS,
  MAX_PROFILE_WORDS,
  REFLECTION_SCHEMA,
  type ReflectionInput,
  readReflectionRequest,
} from './reflection.ts';
import { countWords } from './sentences.ts';

const AT = Date.UTC(2026, 4, 3, 12);

function inputOf(profile: string | null, ...summaries: string[]): ReflectionInput {
  return {
    summaries: summaries.map((summary, index) => ({
      sessionId: `session-${index + 1}`,
      summary,
      topics: ['tests'],
      at: AT + index * 86_400_000,
    })),
    profile,
  };
}

const INPUT = inputOf(
  'The user likes short answers and writes to Greta.',
  'The user asked for shorter answers about Kubernetes.',
  'The user asked for a table with 12 rows and did not like long prose.',
  'The user planned a trip to Lisbon.',
);

function judge(insights: unknown, profile: unknown = '', input = INPUT): ReturnType<typeof judgeReflection> {
  return judgeReflection(input, stored({ insights, profile }));
}

function profileOf(verdict: ReturnType<typeof judgeReflection>): string | null {
  return verdict.ok ? verdict.profile : null;
}

describe('buildReflectionRequest', () => {
  it('shows dated summaries by number, the profile, and no session id', () => {
    const request = buildReflectionRequest(INPUT);
    expect(readReflectionRequest(request)).toEqual({
      summaries: INPUT.summaries.map(({ summary }, index) => ({
        n: index + 1,
        date: `2026-05-0${index + 3}`,
        summary,
        topics: ['tests'],
      })),
      profile: INPUT.profile,
    });
    expect(JSON.stringify(request)).not.toContain('session-1');
    expect(request).toMatchObject({ schema: REFLECTION_SCHEMA });
    expect(request.system).toContain('never facts about the user');
    const { signal } = new AbortController();
    expect(buildReflectionRequest(INPUT, { signal }).signal).toBe(signal);
  });

  it('does without a profile', () => {
    for (const profile of [null, ' ']) {
      const request = buildReflectionRequest(inputOf(profile, 'The user waited.'));
      expect(request.messages[0]!.content).not.toContain('PROFILE');
      expect(readReflectionRequest(request)?.profile).toBeNull();
    }
  });

  it('gives texts back whatever they hold, and nothing in them changes a word of the task', () => {
    const plain = buildReflectionRequest(inputOf('x', 'x'));
    const text = fc
      .oneof(fc.string({ unit: CODE_POINT }), fc.constantFrom(...NASTY))
      .map((part) => `x${part}x`);
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), text, (summaries, profile) => {
        const request = buildReflectionRequest(inputOf(profile, ...summaries));
        const read = readReflectionRequest(request);
        expect(read?.summaries.map(({ summary }) => summary)).toEqual(summaries.map(safeText));
        expect(read?.profile).toBe(safeText(profile));
        expect(request.system).toBe(plain.system);
        expect(outsideOfFences(request.messages[0]!.content)).toBe(
          outsideOfFences(plain.messages[0]!.content),
        );
      }),
    );
  });

  it('shows a share of each of very many summaries', () => {
    const long = `First. ${'The user waited for a very long time. '.repeat(30)}`;
    const request = buildReflectionRequest(inputOf(null, ...Array.from({ length: 200 }, () => long)));
    const shown = readReflectionRequest(request)!.summaries;
    expect(shown).toHaveLength(200);
    expect(shown.reduce((sum, { summary }) => sum + summary.length, 0)).toBeLessThanOrEqual(48_000);
    expect(shown[199]!.summary).toMatch(/^First\. The user .*\.$/);
  });

  it('shows the start of a summary or a profile that is one endless sentence', () => {
    const endless = 'The user waited '.repeat(4_000);
    const shown = readReflectionRequest(buildReflectionRequest(inputOf(endless, endless)))!;
    expect(shown.summaries[0]!.summary).toMatch(/^The user waited .* \w+$/);
    expect(shown.summaries[0]!.summary.length).toBeLessThanOrEqual(48_000);
    expect(shown.profile).toMatch(/^The user waited .* \w+$/);
    expect(shown.profile!.length).toBeLessThanOrEqual(6_000);
  });

  it('reads back no other request', () => {
    expect(readReflectionRequest({ messages: [{ role: 'user', content: 'Hello' }] })).toBeNull();
    expect(readReflectionRequest(buildReflectionRequest(inputOf(null)))).toBeNull();
  });
});

describe('judgeReflection', () => {
  it('takes insights with the sessions they rest on', () => {
    const content = 'The user asked for short forms such as a table with 12 rows.';
    const verdict = judge([{ content, sources: [2, 1, 2] }], 'The user likes short answers.');
    expect(verdict).toEqual({
      ok: true,
      insights: [{ content, sessionIds: ['session-1', 'session-2'] }],
      profile: 'The user likes short answers.',
      counts: {
        offered: 1,
        kept: 1,
        malformed: 0,
        tooLong: 0,
        uncited: 0,
        invented: 0,
        repeated: 0,
        surplus: 0,
        profileInvented: 0,
      },
    });
  });

  it('takes an answer without insights', () => {
    expect(judge([])).toMatchObject({ ok: true, insights: [], profile: null, counts: { offered: 0 } });
  });

  it.each([
    ['uncited', { content: 'The user asked for answers.', sources: [] }],
    ['uncited', { content: 'The user asked for answers.', sources: [0, 4, -1, 1.5, '1'] }],
    ['uncited', { content: 'The user asked for answers.' }],
    ['uncited', { content: 'The user asked for answers.', sources: 1 }],
    ['invented', { content: 'The user asked for a table with 13 rows.', sources: [2] }],
    ['invented', { content: 'The user asked Bob.', sources: [2] }],
    ['invented', { content: 'The user asked on 2026-05-03.', sources: [1] }],
    ['invented', { content: 'The user did not ask for answers.', sources: [1] }],
    ['tooLong', { content: 'a '.repeat(MAX_INSIGHT_CHARS), sources: [1] }],
    ['malformed', { content: ' ', sources: [1] }],
    ['malformed', { content: '?!', sources: [1] }],
    ['malformed', { content: 7, sources: [1] }],
    ['malformed', { content: 'a\0b', sources: [1] }],
    ['malformed', { sources: [1] }],
    ['malformed', null],
    ['malformed', 'The user asked.'],
  ])('drops and counts what is %s', (reason, item) => {
    const verdict = judge([item, { content: 'The user asked for answers.', sources: [1] }]);
    expect(verdict).toMatchObject({ ok: true, counts: { offered: 2, kept: 1, [reason]: 1 } });
  });

  it('looks for hard atoms in the cited summaries alone', () => {
    const content = 'The user asked about Lisbon.';
    expect(judge([{ content, sources: [1, 2] }])).toMatchObject({ insights: [], counts: { invented: 1 } });
    expect(judge([{ content, sources: [1, 3] }])).toMatchObject({ counts: { kept: 1 } });
    // The profile before is no ground for an insight.
    expect(judge([{ content: 'The user writes to Greta.', sources: [1] }])).toMatchObject({
      counts: { invented: 1 },
    });
  });

  it('cuts a long insight at the end of a sentence', () => {
    const first = `The user asked for ${'short answers and '.repeat(20)}more.`;
    expect(judge([{ content: `${first}\n${first}`, sources: [1] }])).toMatchObject({
      insights: [{ content: first }],
    });
  });

  it('takes five at most, and none twice', () => {
    const contents = ['The user: short', 'The user: shorter', 'the user:  short.', 'The user: table'];
    const more = ['prose', 'rows', 'trip', 'long'].map((word) => `The user: ${word}`);
    const verdict = judge([...contents, ...more].map((content) => ({ content, sources: [1] })));
    expect(verdict).toMatchObject({ counts: { offered: 8, kept: 5, repeated: 1, surplus: 2 } });
  });

  it('judgeReflection: insights that differ in a capital of a word that is not the first, both are kept', () => {
    const contents = ['The user asked about Lisbon.', 'The user asked about lisbon.'];
    const verdict = judge(contents.map((content) => ({ content, sources: [1, 3] })));
    expect(verdict).toMatchObject({ counts: { kept: 2, repeated: 0 } });
  });

  it('leaves sentences out of the profile that nothing bears out', () => {
    const verdict = judge(
      [],
      'The user likes short answers. The user lives in Oslo. The user writes to Greta. The user has 3 cats.',
    );
    expect(verdict).toMatchObject({
      profile: 'The user likes short answers. The user writes to Greta.',
      counts: { profileInvented: 2 },
    });
  });

  it('keeps no profile rather than an empty or unsafe one', () => {
    for (const profile of ['', ' ', null, 7, 'a\uD800b', '...', 'The user lives in Oslo.']) {
      expect(profileOf(judge([], profile))).toBeNull();
    }
  });

  it('cuts the profile at the end of a sentence within 600 words', () => {
    const sentence = 'The user likes short answers with a table.';
    const profile = profileOf(judge([], Array.from({ length: 200 }, () => sentence).join(' ')))!;
    expect(profile.split(/\s+/)).toHaveLength(600);
    expect(profile.endsWith(sentence)).toBe(true);
    expect(profileOf(judge([], 'short '.repeat(601)))).toBeNull();
  });

  it.each([
    ['refused', stored({ insights: [], profile: '' }, 'refusal')],
    ['truncated', stored('{"insights": [{"content', 'max_tokens')],
    ['invalid_output', stored('{"insights": [{"content')],
    ['invalid_output', stored({ profile: 'The user likes short answers.' })],
    ['invalid_output', stored({ insights: {} })],
  ])('says %s', (reason, answer) => {
    expect(judgeReflection(INPUT, answer)).toEqual({ ok: false, reason });
  });

  it('never throws, and everything offered is counted once', () => {
    fc.assert(
      fc.property(fc.array(fc.json()), fc.string(), (items, profile) => {
        const text = `{"insights":[${items.join(',')}],"profile":${JSON.stringify(profile)}}`;
        const verdict = judgeReflection(INPUT, stored(text));
        if (!verdict.ok) throw new Error(verdict.reason);
        const { offered, profileInvented: _, ...rest } = verdict.counts;
        expect(Object.values(rest).reduce((sum, count) => sum + count, 0)).toBe(offered);
        if (verdict.profile !== null) {
          expect(countWords(verdict.profile)).toBeLessThanOrEqual(MAX_PROFILE_WORDS);
        }
      }),
    );
  });
});
