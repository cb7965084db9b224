import { dollarsOfNanos } from './prices/money.ts';
import { costOf, type Prices, priceOf, type TokenUse } from './prices/price.ts';

/**
 * What a model's tokens cost in US dollars, by the configured price or the table's. The offline model is free, unless a price is set.
 * @param use.at when they were used, epoch ms; absent: at the latest price
 * @returns null: no price is known for the model, so that nobody knows
 */
export function dollarsOf(prices: Prices, use: TokenUse & { model: string; at?: number }): number | null {
  const price = priceOf(prices, use.model, use.at);
  return price === null ? null : dollarsOfNanos(costOf(price, use));
}
