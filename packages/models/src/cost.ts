import { OFFLINE_MODEL } from './offline.ts';

/** US dollars per million tokens, by the name of a model. */
export type Prices = Readonly<Record<string, { inputDollars: number; outputDollars: number }>>;

const TOKENS_PER_PRICE = 1_000_000;
const FREE = { inputDollars: 0, outputDollars: 0 };

/**
 * What a model's tokens cost in US dollars. The offline model is free, unless a price is set for it.
 * @returns null: no price is set for the model, so that nobody knows
 */
export function dollarsOf(
  prices: Prices,
  { model, inputTokens, outputTokens }: { model: string; inputTokens: number; outputTokens: number },
): number | null {
  const free = model === OFFLINE_MODEL ? FREE : undefined;
  // A model may bear the name of something that every object has.
  const price = Object.hasOwn(prices, model) ? prices[model] : free;
  if (price === undefined) return null;
  return (inputTokens * price.inputDollars + outputTokens * price.outputDollars) / TOKENS_PER_PRICE;
}
