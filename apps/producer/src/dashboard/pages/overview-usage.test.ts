import type { ModelUsage, TenantDay } from '@slowwave/db';
import { OFFLINE_MODEL } from '@slowwave/models';
import { describe, expect, it } from 'vitest';
import { usageCard } from './overview-usage.ts';

const SINCE = Date.UTC(2026, 5, 9);
const PRICES = { large: { inputDollars: 1, outputDollars: 5 } };

/** A million tokens in and a hundred thousand out, of which a tenth today. */
const used = (model: string): ModelUsage => ({
  model,
  answers: 3,
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  today: { inputTokens: 100_000, outputTokens: 10_000 },
});

/** The card's words, without its markup. */
function wordsOf(models: ModelUsage[], prices = {}): string {
  const usage = models.map(({ answers, inputTokens, outputTokens }) => ({
    day: '2026-06-15',
    answers,
    inputTokens,
    outputTokens,
  }));
  const day: TenantDay = { users: 1, runs: [], fusions: [], usage, models };
  return String(usageCard(day, SINCE, prices))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

describe('the card of tokens and cost', () => {
  it('says what models cost today and in seven days', () => {
    const text = wordsOf([used('large')], PRICES);
    expect(text).toContain('Cost today $0.15 Cost in 7 days $1.50');
    expect(text).toContain('1.1M tokens, $1.50');
    expect(text).toContain('large 3 answers, 1M in, 100K out, $1.50');
    expect(text).not.toContain('price');
  });

  it('counts a model without a price as unknown and says which one it is', () => {
    const text = wordsOf([used('large'), used('<small>')], PRICES);
    expect(text).toContain('Cost today at least $0.15 Cost in 7 days at least $1.50');
    expect(text).toContain('No price set for &lt;small&gt; ; SLOWWAVE_MODEL_PRICES');
    const unknown = wordsOf([used('large')]);
    expect(unknown).toContain('Cost today not known Cost in 7 days not known');
    expect(unknown).toContain('No price set for large ; SLOWWAVE_MODEL_PRICES');
    expect(unknown).not.toContain('$0');
  });

  it('knows that the offline model is free, and does not round a small cost to nothing', () => {
    const offline = wordsOf([used(OFFLINE_MODEL)]);
    expect(offline).toContain('Cost today $0.00 Cost in 7 days $0.00');
    expect(offline).toContain('100K out, free');
    expect(offline).not.toContain('price');
    const little = { ...used('large'), today: { inputTokens: 5, outputTokens: 0 } };
    expect(wordsOf([little], PRICES)).toContain('Cost today less than $0.01');
    expect(wordsOf([{ ...little, today: { inputTokens: 0, outputTokens: 0 } }])).toContain(
      'Cost today $0.00 Cost in 7 days not known',
    );
  });

  it('says so when no model was asked', () => {
    expect(wordsOf([])).toContain('No model was asked');
  });
});
