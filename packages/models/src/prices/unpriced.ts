import type { ModelsOptions } from '../models.ts';
import { OFFLINE_MODEL } from '../offline.ts';
import { type Prices, priceOf } from './price.ts';

/** Names of the chosen models, that of an embedder which is charged for included, that has no known price, each once. */
export function unpricedModels(
  {
    model,
    steps,
    embedder,
  }: Pick<ModelsOptions, 'model' | 'steps'> & Partial<Pick<ModelsOptions, 'embedder'>>,
  prices: Prices,
): string[] {
  const names = embedder?.embedder === 'openai' ? [embedder.model] : [];
  if (model.provider !== 'none') {
    const own = Object.values(steps ?? {}).flatMap((step) => step.model ?? []);
    names.unshift(model.provider === 'offline' ? OFFLINE_MODEL : model.model, ...own);
  }
  return [...new Set(names)].filter((name) => priceOf(prices, name) === null);
}
