import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adhocDedupId, dedupId, fusionJobId } from './ids.ts';
import { QUEUE_NAMES } from './names.ts';
import {
  MAX_ID_LENGTH,
  PayloadError,
  parseFusionJob,
  parsePayload,
  parseTickJob,
  parseTierJob,
  payloadIds,
  postponedCount,
} from './payload.ts';

const tierJob = { v: 1, tenant: 't1', user: 'u1', tier: 'deep', why: 'schedule' };
const fusionJob = { v: 1, tenant: 't1', user: 'u1', key: 'a1'.repeat(32), tier: 'deep', runId: 'r1' };

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof PayloadError) return `${error.problem} ${error.field}`;
    throw error;
  }
  return 'none';
}

describe('parsing', () => {
  it('takes exactly what is there', () => {
    expect(parseTierJob(tierJob)).toEqual(tierJob);
    expect(parseTierJob({ ...tierJob, user: 'ann+test@example.org · Zoë 李', runId: 'r' })).toMatchObject({
      runId: 'r',
    });
    expect(parseFusionJob(fusionJob)).toEqual(fusionJob);
    expect(parseTickJob({ v: 1, tier: 'light' })).toEqual({ v: 1, tier: 'light' });
  });

  it('counts an id in characters, as the database does', () => {
    const longest = '🐝'.repeat(MAX_ID_LENGTH);
    expect(problemOf(() => parseTierJob({ ...tierJob, user: longest }))).toBe('none');
    expect(problemOf(() => parseTierJob({ ...tierJob, user: `${longest}b` }))).toBe('bad_value user');
  });

  it("leaves the workers' own counters out of the payload", () => {
    const postponed = { ...tierJob, postponed: 7, stalls: 2 };
    expect(parseTierJob(postponed)).toEqual(tierJob);
    expect(postponedCount(postponed)).toBe(7);
    expect([tierJob, null, 5, { postponed: -1 }, { postponed: '7' }].map(postponedCount)).toEqual([
      0, 0, 0, 0, 0,
    ]);
  });

  it.each([
    [null, 'not_an_object null'],
    [[], 'not_an_object null'],
    ['{}', 'not_an_object null'],
    [{}, 'missing v'],
    [{ ...tierJob, v: 2 }, 'bad_value v'],
    [{ ...tierJob, content: 'x' }, 'unknown_field null'],
    [{ ...tierJob, key: 'x' }, 'unknown_field null'],
    [{ ...tierJob, user: '' }, 'bad_value user'],
    [{ ...tierJob, user: 5 }, 'bad_value user'],
    [{ ...tierJob, user: 'a\nb' }, 'bad_value user'],
    [{ ...tierJob, user: 'a\u0000b' }, 'bad_value user'],
    [{ ...tierJob, user: 'a\ud800' }, 'bad_value user'],
    [{ ...tierJob, tenant: 'x'.repeat(MAX_ID_LENGTH + 1) }, 'bad_value tenant'],
    [{ ...tierJob, tier: 'fusions' }, 'bad_value tier'],
    [{ ...tierJob, why: 'because' }, 'bad_value why'],
    [{ ...tierJob, runId: null }, 'bad_value runId'],
    [{ ...tierJob, user: undefined }, 'missing user'],
    [{ ...tierJob, postponed: 0.5 }, 'bad_value postponed'],
    [{ ...tierJob, stalls: -1 }, 'bad_value stalls'],
    [Object.create(tierJob), 'missing v'],
  ])('refuses %j', (value, problem) => {
    expect(problemOf(() => parseTierJob(value))).toBe(problem);
  });

  it.each(['A1'.repeat(32), 'a1'.repeat(31), 'g1'.repeat(32), `${'a1'.repeat(32)}\n`])(
    'refuses the key %j',
    (key) => {
      expect(problemOf(() => parseFusionJob({ ...fusionJob, key }))).toBe('bad_value key');
    },
  );

  it("keeps a tier out of another tier's queue", () => {
    expect(parsePayload('deep', tierJob)).toEqual(tierJob);
    expect(parsePayload('adhoc', tierJob)).toEqual(tierJob);
    expect(problemOf(() => parsePayload('light', tierJob))).toBe('wrong_queue tier');
    expect(problemOf(() => parsePayload('fusions', tierJob))).toBe('unknown_field null');
    expect(problemOf(() => parsePayload('ticks', tierJob))).toBe('unknown_field null');
  });

  it('never throws anything else, and never quotes what it was given', () => {
    const secret = fc.string({ minLength: 12 }).map((text) => `CANARY${text}`);
    const value = fc.oneof(
      fc.anything(),
      fc.dictionary(fc.constantFrom(...Object.keys(tierJob), 'x'), secret),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(...QUEUE_NAMES), (given, queue) => {
        try {
          parsePayload(queue, given);
        } catch (error) {
          expect(error).toBeInstanceOf(PayloadError);
          expect((error as PayloadError).retryable).toBe(false);
          expect(String((error as PayloadError).stack)).not.toContain('CANARY');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('names the ids of a payload and nothing else', () => {
    expect(payloadIds(parseTierJob(tierJob))).toEqual({ tenant: 't1', user: 'u1', tier: 'deep' });
    expect(payloadIds(parseTickJob({ v: 1, tier: 'deep' }))).toEqual({ tier: 'deep' });
  });
});

describe('ids', () => {
  const part = fc.string({ maxLength: 20 });

  it('are hashes that BullMQ takes: no colon, no integer', () => {
    fc.assert(
      fc.property(part, part, part, (a, b, c) => {
        for (const id of [dedupId(a, b, 'deep'), adhocDedupId(a, b, 'deep', c), fusionJobId(a)]) {
          expect(id).toMatch(/^[a-z][0-9a-f]{64}$/);
        }
      }),
    );
  });

  it('differ when any part differs, wherever the border between parts lies', () => {
    expect(dedupId('t', 'u', 'deep')).toBe(dedupId('t', 'u', 'deep'));
    const all = [
      dedupId('t', 'u', 'deep'),
      dedupId('t', 'u', 'light'),
      dedupId('tu', '', 'deep'),
      dedupId('', 'tu', 'deep'),
      dedupId('t","u', '', 'deep'),
      adhocDedupId('t', 'u', 'deep', ''),
      adhocDedupId('t', 'u', 'deep', 'r'),
      fusionJobId('t'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
