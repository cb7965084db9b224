import { OFFLINE_MODEL } from '../offline.ts';
import { nanosOf } from './money.ts';
import { PRICE_TABLE, type PriceEntry } from './table.ts';

/** US dollars per million tokens, by the name of a model, as the configuration gives them. */
export type Prices = Readonly<Record<string, { inputDollars: number; outputDollars: number }>>;

/** What a model's tokens cost, in nano-dollars per million tokens. */
export interface Price {
  input: bigint;
  output: bigint;
  cacheRead: bigint;
  cacheWrite: bigint;
  /** What a batch costs, in percent of the same tokens asked for one by one. */
  batchPercent: bigint;
}

/** Tokens of one answer. `inputTokens` are those that no cache was asked for. */
export interface TokenUse {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  /** Asked for in a batch. */
  batch?: boolean;
}

const TOKENS_PER_PRICE = 1_000_000n;
const PERCENT = 100n;
const FREE: Price = { input: 0n, output: 0n, cacheRead: 0n, cacheWrite: 0n, batchPercent: PERCENT };
/** A model's name may end in the day of its release, or say that the newest one is meant. */
const RELEASE = /-(?:\d{8}|latest)$/;

/**
 * The price of a model at an instant: the configured one, else that of the table. The offline model is free.
 *
 * A model is found by its own name or without the day of its release. Of several entries the latest that holds counts; before the
 * first one the first, since what a model cost before we knew it is more than nothing.
 * @param at epoch ms; absent: the latest price
 * @returns null: nobody knows the price
 */
export function priceOf(prices: Prices, model: string, at: number = Number.POSITIVE_INFINITY): Price | null {
  // A model may bear the name of something that every object has.
  const configured = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (configured !== undefined) return fromDollars(configured);
  if (model === OFFLINE_MODEL) return FREE;
  const entry = entryOf(PRICE_TABLE, model, at) ?? entryOf(PRICE_TABLE, model.replace(RELEASE, ''), at);
  return entry === null ? null : fromEntry(entry);
}

/** Tokens of the shortest prefix that a model's vendor caches; null: not known. */
export function smallestCachedPrefix(model: string): number | null {
  const latest = Number.POSITIVE_INFINITY;
  const entry =
    entryOf(PRICE_TABLE, model, latest) ?? entryOf(PRICE_TABLE, model.replace(RELEASE, ''), latest);
  return entry?.smallestCachedPrefix ?? null;
}

/** The entry that holds at an instant, or null where there is none for the model. Entries may stand in any order. */
export function entryOf(table: readonly PriceEntry[], model: string, at: number): PriceEntry | null {
  const entries = table
    .filter((entry) => entry.model === model)
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  return entries.findLast(({ from }) => Date.parse(from) <= at) ?? entries[0] ?? null;
}

function fromEntry({ input, output, cacheRead, cacheWrite, batchPercent }: PriceEntry): Price {
  return {
    input: nanosOf(input),
    output: nanosOf(output),
    cacheRead: nanosOf(cacheRead),
    cacheWrite: nanosOf(cacheWrite),
    batchPercent: BigInt(batchPercent),
  };
}

/** Whoever sets a price says nothing of caches and batches: they count as the rest. */
function fromDollars({ inputDollars, outputDollars }: Prices[string]): Price {
  const [input, output] = [nanosOf(inputDollars.toFixed(9)), nanosOf(outputDollars.toFixed(9))];
  return { input, output, cacheRead: input, cacheWrite: input, batchPercent: PERCENT };
}

/** What tokens cost, in nano-dollars; a part of one counts as a whole, so that no call is cheaper in the books than in truth. */
export function costOf(price: Price, use: TokenUse): bigint {
  const parts: [bigint, number | undefined][] = [
    [price.input, use.inputTokens],
    [price.output, use.outputTokens],
    [price.cacheRead, use.cacheReadTokens],
    [price.cacheWrite, use.cacheWriteTokens],
  ];
  const sum = parts.reduce((total, [perMillion, tokens]) => total + perMillion * BigInt(tokens ?? 0), 0n);
  const scaled = sum * (use.batch ? price.batchPercent : PERCENT);
  const unit = TOKENS_PER_PRICE * PERCENT;
  return (scaled + unit - 1n) / unit;
}
