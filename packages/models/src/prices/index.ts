export { dollarsOfNanos, NANOS_PER_DOLLAR, nanosOf } from './money.ts';
export { costOf, type Price, type Prices, priceOf, type TokenUse } from './price.ts';
export { PRICE_TABLE, type PriceEntry } from './table.ts';
export { unpricedModels } from './unpriced.ts';
