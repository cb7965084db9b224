import type { StoredAnswer } from '@slowwave/fusion';

/** What is about to be said, as a judge of stored answers takes it. */
export function storedAs(said: object): StoredAnswer {
  return { text: JSON.stringify(said), stopReason: 'end_turn', inputTokens: 0, outputTokens: 0, model: '' };
}
