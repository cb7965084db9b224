import type { ModelsOptions } from '../models.ts';
import { OFFLINE_MODEL } from '../offline.ts';
import { type Prices, priceOf } from './price.ts';

/** Names of the chosen models whose price nobody knows, each once. */
export function unpricedModels(
  { model, steps }: Pick<ModelsOptions, 'model' | 'steps'>,
  prices: Prices,
): string[] {
  if (model.provider === 'none') return [];
  const all = model.provider === 'offline' ? OFFLINE_MODEL : model.model;
  const own = Object.values(steps ?? {}).flatMap((step) => step.model ?? []);
  return [...new Set([all, ...own])].filter((name) => priceOf(prices, name) === null);
}
