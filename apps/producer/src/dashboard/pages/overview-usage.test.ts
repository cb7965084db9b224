import type { CallUsage, Usage } from '@slowwave/db';
import { OFFLINE_MODEL } from '@slowwave/models';
import { describe, expect, it } from 'vitest';
import { usageCard, usageOn } from './overview-usage.ts';

const SINCE = Date.UTC(2026, 5, 9);
const NOW = Date.UTC(2026, 5, 15, 12);
const DOLLAR = 1_000_000_000;
const NOTHING_OFFLINE = { answers: 0, today: 0 };

/** A million tokens in and a hundred thousand out in three calls. */
const used = (more: Partial<CallUsage> = {}): CallUsage => ({
  calls: 3,
  batchedCalls: 0,
  inputTokens: 1_000_000,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 100_000,
  heldTokens: 0,
  costNanos: String(1.5 * DOLLAR),
  unpricedCalls: 0,
  ...more,
});
const unknown = (calls = 3) => used({ calls, costNanos: '0', unpricedCalls: calls });

interface Given {
  total?: CallUsage;
  today?: CallUsage;
  models?: Usage['models'];
  unbooked?: { answers: number; today: number };
}

/** The card's words, without its markup. */
function wordsOf({ total = used(), today, models = [], unbooked = NOTHING_OFFLINE }: Given): string {
  const days = today ? [{ day: '2026-06-15', ...today }] : [];
  const usage: Usage = { total, days, models, steps: [], users: [] };
  return String(usageCard(usage, { since: SINCE, now: NOW, unbooked }))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

const none = used({ calls: 0, inputTokens: 0, outputTokens: 0, costNanos: '0' });

describe('the card of tokens and cost', () => {
  it('says what models cost today and in seven days, as the books have it', () => {
    const today = used({ calls: 1, inputTokens: 100_000, outputTokens: 10_000, costNanos: '150000000' });
    const text = wordsOf({ today, models: [{ model: 'large', ...used() }] });
    expect(text).toContain('Cost today $0.15 Cost in 7 days $1.50');
    expect(text).toContain('1.1M tokens, $1.50');
    expect(text).toContain('large 3 calls, 1M in, 100K out, $1.50');
    expect(text).not.toContain('price');
    expect(text).not.toContain('held');
    expect(text).not.toContain(OFFLINE_MODEL);
  });

  it('counts calls without a price as unknown and says of which model they are', () => {
    const total = used({ calls: 6, unpricedCalls: 3 });
    const models = [
      { model: 'large', ...used() },
      { model: '<small>', ...unknown() },
    ];
    const text = wordsOf({ total, today: used({ unpricedCalls: 1 }), models });
    expect(text).toContain('Cost today at least $1.50 Cost in 7 days at least $1.50');
    expect(text).toContain('&lt;small&gt; 3 calls, 1M in, 100K out, cost not known');
    expect(text).toContain('No price was known for &lt;small&gt; ; SLOWWAVE_MODEL_PRICES');
    const dark = wordsOf({ total: unknown(), today: unknown(1), models: models.slice(1) });
    expect(dark).toContain('1.1M tokens, cost not known');
    expect(dark).toContain('Cost today not known Cost in 7 days not known');
    expect(dark).not.toContain('$0');
  });

  it('names ten models, and ten without a price, and counts the rest', () => {
    const models = Array.from({ length: 12 }, (_, i) => ({ model: `m${i}`, ...unknown() }));
    const text = wordsOf({ total: unknown(36), models });
    expect(text).toContain('m9 and 2 more; SLOWWAVE_MODEL_PRICES');
    expect(text).toContain('m9 3 calls, 1M in, 100K out, cost not known and 2 more');
    expect(text).not.toContain('m10');
  });

  it('does not round a small cost to nothing, and says what is still held', () => {
    const total = used({ costNanos: '1', heldTokens: 500 });
    const text = wordsOf({ total });
    expect(text).toContain('Cost today $0.00 Cost in 7 days less than $0.01');
    expect(text).toContain('Tokens 1M in, 100K out (500 more held)');
  });

  it('says that the offline model answered without tokens, alone and beside another', () => {
    const unbooked = { answers: 4, today: 1 };
    const alone = wordsOf({ total: none, unbooked });
    expect(alone).toContain(
      `No tokens were taken in these days ${OFFLINE_MODEL} 4 answers, no tokens and no cost`,
    );
    expect(alone).not.toContain('No model');
    const beside = wordsOf({ models: [{ model: 'large', ...used() }], unbooked });
    expect(beside).toContain(`100K out, $1.50 ${OFFLINE_MODEL} 4 answers, no tokens and no cost`);
  });

  it('says so when no model answered', () => {
    expect(wordsOf({ total: none })).toContain('No model answered in these days Choose one with');
  });

  it('takes the usage of a day from the books, and nothing for a day that has none', () => {
    const usage: Usage = {
      total: used(),
      days: [{ day: '2026-06-14', ...used() }],
      models: [],
      steps: [],
      users: [],
    };
    expect(usageOn(usage, NOW - 86_400_000)).toMatchObject({ calls: 3 });
    expect(usageOn(usage, NOW)).toEqual(none);
  });
});
