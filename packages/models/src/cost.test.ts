import { expect, it } from 'vitest';
import { dollarsOf } from './cost.ts';
import { OFFLINE_MODEL } from './offline.ts';

const PRICES = { large: { inputDollars: 1, outputDollars: 5 } };
const USED = { inputTokens: 2_000_000, outputTokens: 100_000 };

it('counts dollars per million tokens; without a price nobody knows, and offline is free', () => {
  expect(dollarsOf(PRICES, { model: 'large', ...USED })).toBe(2.5);
  expect(dollarsOf(PRICES, { model: 'small', ...USED })).toBeNull();
  expect(dollarsOf(PRICES, { model: 'constructor', ...USED })).toBeNull();
  expect(dollarsOf(PRICES, { model: OFFLINE_MODEL, ...USED })).toBe(0);
  const priced = { [OFFLINE_MODEL]: { inputDollars: 2, outputDollars: 0 } };
  expect(dollarsOf(priced, { model: OFFLINE_MODEL, ...USED })).toBe(4);
});
