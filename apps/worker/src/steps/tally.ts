/** How often each word came up: codes and reasons of a report. */
export type Tally = Record<string, number>;

export function count(tally: Tally, word: string): void {
  tally[word] = (tally[word] ?? 0) + 1;
}
