/** One price of one model, from a day on. US dollars per million tokens, as the vendor writes them. */
export interface PriceEntry {
  model: string;
  /** The first day on which it holds, YYYY-MM-DD in UTC. */
  from: string;
  input: string;
  output: string;
  /** Of a prefix that is found in the vendor's cache, and of one that is put there. */
  cacheRead: string;
  cacheWrite: string;
  /** What a batch costs, in percent of the same tokens asked for one by one. */
  batchPercent: number;
  /** Tokens of the shortest prefix that the vendor's cache keeps; absent: nobody has said it, and nothing is cached. */
  smallestCachedPrefix?: number;
}

/** What models cost. Data: a price that changes is a new entry with its day, and the old one stays for what was asked before. */
export const PRICE_TABLE: readonly PriceEntry[] = [
  {
    model: 'claude-haiku-5-5',
    from: '2026-11-01',
    input: '0.10',
    output: '0.50',
    cacheRead: '0.01',
    cacheWrite: '0.125',
    batchPercent: 50,
    smallestCachedPrefix: 512,
  },
  {
    model: 'claude-sonnet-5-5',
    from: '2026-11-01',
    input: '2',
    output: '10',
    cacheRead: '0.20',
    cacheWrite: '2.50',
    batchPercent: 50,
  },
];
