import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { describe, expect, it } from 'vitest';
import { SHORT_ANSWER } from '../../../test/fixtures/short-answer.ts';
import { createBreaker } from './breaker.ts';

const REFUSED = new ModelError('auth', { retryable: false });

function stage() {
  let now = 0;
  let calls = 0;
  let failure: ModelError | null = REFUSED;
  const inner: LLMProvider = {
    name: 'inner',
    isAvailable: () => true,
    complete: async () => {
      calls++;
      if (failure) throw failure;
      return SHORT_ANSWER;
    },
  };
  const breaker = createBreaker(() => now);
  const provider = breaker.guard(inner);
  return {
    ...breaker,
    provider,
    ask: () => provider.complete({ messages: [] }),
    calls: () => calls,
    pass: (ms: number) => {
      now += ms;
    },
    fail: (next: ModelError | null) => {
      failure = next;
    },
  };
}

/** A provider whose calls end when the test says so. */
function pending() {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const inner: LLMProvider = {
    name: 'pending',
    isAvailable: () => true,
    complete: () =>
      new Promise((resolve, reject) => ends.push({ resolve: () => resolve(SHORT_ANSWER), reject })),
  };
  return { inner, ends };
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
    pass(20_000);
    expect(state()).toEqual({ open: true, leftMs: 40_000 });
    fail(null);
    pass(40_000);
    await expect(ask()).resolves.toBe(SHORT_ANSWER);
    expect(state()).toEqual({ open: false, leftMs: null });
    await expect(Promise.all([ask(), ask()])).resolves.toHaveLength(2);
  });

  it('is not tripped by anything that passes by itself', async () => {
    const { ask, fail, state } = stage();
    fail(new ModelError('overloaded', { retryable: true }));
    await expect(ask()).rejects.toMatchObject({ code: 'overloaded' });
    expect(state().open).toBe(false);
  });

  it('pauses all models of the account when one is refused, and lets one call through for them all', async () => {
    const { ask, calls, pass, fail, guard } = stage();
    let others = 0;
    const other = guard({
      name: 'inner',
      model: 'another',
      isAvailable: () => true,
      complete: async () => {
        others++;
        return SHORT_ANSWER;
      },
    });
    expect(other).toMatchObject({ name: 'inner', model: 'another' });
    await ask().catch(() => undefined);
    expect(other.isAvailable()).toBe(false);
    await expect(other.complete({ messages: [] })).rejects.toMatchObject({ code: 'auth' });
    expect(others).toBe(0);
    pass(60_000);
    fail(null);
    const [mine] = await Promise.allSettled([ask(), other.complete({ messages: [] })]);
    expect([mine?.status, calls(), others]).toEqual(['fulfilled', 2, 0]);
    await expect(other.complete({ messages: [] })).resolves.toBe(SHORT_ANSWER);
  });

  it('takes calls that were under way together as one refusal', async () => {
    const breaker = createBreaker(() => 0);
    const { inner, ends } = pending();
    const provider = breaker.guard(inner);
    const calls = [1, 2, 3].map(() => provider.complete({ messages: [] }));
    for (const { reject } of ends) reject(REFUSED);
    await Promise.allSettled(calls);
    expect(breaker.state()).toEqual({ open: true, leftMs: 60_000 });
  });

  it('stays open when a call from before the refusal succeeds, and asks only once meanwhile', async () => {
    let now = 0;
    const breaker = createBreaker(() => now);
    const { inner, ends } = pending();
    const provider = breaker.guard(inner);
    const calls = [1, 2, 3].map(() => provider.complete({ messages: [] }));
    ends[0]?.reject(REFUSED);
    await calls[0]?.catch(() => undefined);
    ends[1]?.resolve();
    await calls[1];
    expect(breaker.state().open).toBe(true);
    now = 60_000;
    const probe = provider.complete({ messages: [] });
    ends[2]?.resolve();
    await calls[2];
    // The call that was let through is still under way.
    expect(provider.isAvailable()).toBe(false);
    ends[3]?.resolve();
    await probe;
    expect(provider.isAvailable()).toBe(true);
  });
});
