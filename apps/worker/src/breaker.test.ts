import { type CompletionResponse, type LLMProvider, ModelError } from '@slowwave/fusion';
import { describe, expect, it } from 'vitest';
import { createBreaker } from './breaker.ts';

const ANSWER: CompletionResponse = {
  content: [{ type: 'text', text: 'ok' }],
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1 },
  model: 'm',
};

function stage() {
  let now = 0;
  let calls = 0;
  let failure: ModelError | null = new ModelError('auth', { retryable: false });
  const inner: LLMProvider = {
    name: 'inner',
    isAvailable: () => true,
    complete: async () => {
      calls++;
      if (failure) throw failure;
      return ANSWER;
    },
  };
  const breaker = createBreaker(inner, () => now);
  return {
    ...breaker,
    ask: () => breaker.provider.complete({ messages: [] }),
    calls: () => calls,
    pass: (ms: number) => {
      now += ms;
    },
    fail: (next: ModelError | null) => {
      failure = next;
    },
  };
}

describe('the breaker', () => {
  it('stops asking once the key was refused, and lets one call through after each longer pause', async () => {
    const { ask, calls, pass, state, provider } = stage();
    await expect(ask()).rejects.toMatchObject({ code: 'auth' });
    await expect(ask()).rejects.toMatchObject({ code: 'auth' });
    expect([calls(), state().open, provider.isAvailable()]).toEqual([1, true, false]);
    pass(60_000);
    expect(provider.isAvailable()).toBe(true);
    await Promise.allSettled([ask(), ask(), ask()]);
    expect(calls()).toBe(2);
    pass(60_000);
    expect(provider.isAvailable()).toBe(false);
    pass(60_000);
    expect(provider.isAvailable()).toBe(true);
  });

  it('closes with the first success', async () => {
    const { ask, pass, fail, state } = stage();
    await ask().catch(() => undefined);
    fail(null);
    pass(60_000);
    await expect(ask()).resolves.toBe(ANSWER);
    expect(state()).toEqual({ open: false, until: null });
    await expect(Promise.all([ask(), ask()])).resolves.toHaveLength(2);
  });

  it('is not tripped by anything that passes by itself', async () => {
    const { ask, fail, state } = stage();
    fail(new ModelError('overloaded', { retryable: true }));
    await expect(ask()).rejects.toMatchObject({ code: 'overloaded' });
    expect(state().open).toBe(false);
  });
});
