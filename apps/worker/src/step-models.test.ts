import { type CompletionRequest, estimateTokens, type LLMProvider, ModelError } from '@slowwave/fusion';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardModels, limitTokens, providerOf } from './step-models.ts';

function fake(model: string, answer: () => { inputTokens: number; outputTokens: number }) {
  const calls: CompletionRequest[] = [];
  const provider: LLMProvider = {
    name: 'fake',
    model,
    isAvailable: () => true,
    async complete(request) {
      calls.push(request);
      const usage = answer();
      return { content: [{ type: 'text', text: '{}' }], stopReason: 'end_turn', usage, model };
    },
  };
  return { provider, calls };
}

const free = () => ({ inputTokens: 0, outputTokens: 0 });
const ask = (chars: number): CompletionRequest => ({
  messages: [{ role: 'user', content: 'x'.repeat(chars) }],
});
const REFUSED = new ModelError('auth', { retryable: false });

describe('providerOf', () => {
  const all = fake('all', free).provider;
  const own = fake('own', free).provider;

  it('gives a step its own model, else the one of all, else none', () => {
    expect(providerOf({ provider: all, providers: { rem: own } }, 'rem')).toBe(own);
    expect(providerOf({ provider: all, providers: { rem: own } }, 'nrem')).toBe(all);
    expect(providerOf({ provider: all }, 'fusion')).toBe(all);
    expect(providerOf({ provider: null }, 'fusion')).toBeNull();
  });
});

describe('guardModels', () => {
  it('puts every model of the account behind one breaker', async () => {
    const all = fake('all', free);
    const rem = fake('large', () => {
      throw REFUSED;
    });
    const large = rem.provider;
    const models = guardModels({ provider: all.provider, providers: { rem: large, nrem: large } }, () => 0);
    expect(models.providers?.rem).toBe(models.providers?.nrem);
    await expect(providerOf(models, 'rem')?.complete(ask(1))).rejects.toBe(REFUSED);
    for (const step of ['rem', 'nrem', 'fusion', 'reflection'] as const) {
      expect(providerOf(models, step)?.isAvailable(), step).toBe(false);
    }
    await expect(models.provider?.complete(ask(1))).rejects.toMatchObject({ code: 'auth' });
    expect(all.calls).toHaveLength(0);
    expect(models.breaker?.state().open).toBe(true);
  });

  it('has no breaker where there is no model', () => {
    expect(guardModels({ provider: null }, () => 0)).toMatchObject({ provider: null, breaker: null });
  });
});

describe('limitTokens', () => {
  it('begins no call once the tokens are used up', async () => {
    const { provider, calls } = fake('m', () => ({ inputTokens: 40, outputTokens: 30 }));
    const limited = limitTokens(provider, 100);
    expect(limited.provider).toMatchObject({ name: 'fake', model: 'm' });
    await limited.provider.complete(ask(4));
    expect([limited.exhausted(), limited.provider.isAvailable()]).toEqual([false, true]);
    await limited.provider.complete(ask(4));
    expect([limited.exhausted(), limited.provider.isAvailable()]).toEqual([true, false]);
    await expect(limited.provider.complete(ask(0))).rejects.toMatchObject({ code: 'auth', retryable: false });
    expect(calls).toHaveLength(2);
    expect(limited.used()).toEqual({ calls: 2, inputTokens: 80, outputTokens: 60 });
  });

  it('begins no call whose request does not fit, and none after it', async () => {
    const { provider, calls } = fake('m', () => ({ inputTokens: 10, outputTokens: 10 }));
    const limited = limitTokens(provider, 100);
    await limited.provider.complete(ask(4));
    await expect(limited.provider.complete(ask(81 * 4))).rejects.toBeInstanceOf(ModelError);
    expect([limited.exhausted(), limited.provider.isAvailable()]).toEqual([true, false]);
    await expect(limited.provider.complete(ask(4))).rejects.toBeInstanceOf(ModelError);
    expect(calls).toHaveLength(1);
    const exact = limitTokens(provider, 100);
    await exact.provider.complete({ system: 's'.repeat(200), ...ask(200) });
    expect(exact.used().calls).toBe(1);
  });

  it('counts what calls under way have asked for, and forgets it when they fail', async () => {
    let fail = (_: Error): void => {};
    const waiting: LLMProvider = {
      name: 'waiting',
      isAvailable: () => true,
      complete: () => new Promise((_, reject) => (fail = reject)),
    };
    const limited = limitTokens(waiting, 100);
    const first = limited.provider.complete(ask(400));
    expect([limited.exhausted(), limited.provider.isAvailable()]).toEqual([true, false]);
    fail(new ModelError('timeout', { retryable: true }));
    await expect(first).rejects.toMatchObject({ code: 'timeout' });
    expect([limited.exhausted(), limited.used().calls]).toEqual([false, 1]);
  });

  it('is as available as the provider behind it', () => {
    const { provider } = fake('m', free);
    expect(limitTokens({ ...provider, isAvailable: () => false }, 100).provider.isAvailable()).toBe(false);
  });

  it('is passed by one answer at most, whatever is asked', async () => {
    const call = fc.record({ chars: fc.nat(4000), answer: fc.nat(500) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { maxLength: 20 }),
        fc.integer({ min: 1, max: 3000 }),
        async (list, limit) => {
          let next = { inputTokens: 0, outputTokens: 0 };
          const { provider } = fake('m', () => next);
          const limited = limitTokens(provider, limit);
          const total = () => limited.used().inputTokens + limited.used().outputTokens;
          for (const { chars, answer } of list) {
            const request = ask(chars);
            next = { inputTokens: estimateTokens('x'.repeat(chars)), outputTokens: answer };
            const [before, ended] = [total(), limited.exhausted()];
            const done = await limited.provider.complete(request).then(
              () => true,
              () => false,
            );
            expect(done).toBe(!ended && before + next.inputTokens <= limit);
            if (done) expect(total()).toBeLessThanOrEqual(limit + answer);
          }
        },
      ),
    );
  });
});
