import { type Database, exchangeRate } from '@slowwave/db';
import type { RateBooks } from './pacing.ts';

/** The rates of all workers, in the database that they share. */
export function rateBooks(database: Pick<Database, 'asDispatcher'>): RateBooks {
  return {
    exchange: (key, report, wish) =>
      database.asDispatcher((tx) => exchangeRate(tx, { ...key, report, wish })),
  };
}
