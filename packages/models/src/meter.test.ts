import { type CompletionRequest, type LLMProvider, ModelError, type ModelErrorCode } from '@slowwave/fusion';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundOf, type CallBound, type Ledger, meterProvider } from './meter.ts';

const REQUEST: CompletionRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Tea?' }],
  maxTokens: 40,
};

/** Books that write down what they are told, in order. */
function books(end: () => Promise<void> = async () => {}) {
  const told: unknown[] = [];
  const ledger: Ledger = {
    async reserve(bound) {
      told.push(bound);
      return {
        async settle(usage) {
          told.push(['settled', usage]);
          await end();
        },
        async release() {
          told.push('released');
          await end();
        },
      };
    },
  };
  return { told, ledger };
}

function fake(answer: () => { inputTokens: number; outputTokens: number }): LLMProvider {
  return {
    name: 'fake',
    model: 'm',
    isAvailable: () => true,
    complete: async () => ({ content: [], stopReason: 'end_turn', usage: answer(), model: 'm' }),
  };
}

const failing = (error: unknown) =>
  fake(() => {
    throw error;
  });

describe('a metered provider', () => {
  it('reserves the most that a call can take, and settles what it took', async () => {
    const { told, ledger } = books();
    await meterProvider(
      fake(() => ({ inputTokens: 7, outputTokens: 3 })),
      ledger,
    ).complete(REQUEST);
    expect(told).toEqual([
      { provider: 'fake', model: 'm', ...boundOf(REQUEST) },
      ['settled', { inputTokens: 7, outputTokens: 3 }],
    ]);
  });

  it('calls nobody when the books refuse', async () => {
    const refusal = new ModelError('budget', { retryable: true });
    const ledger: Ledger = {
      reserve: async (_: CallBound) => {
        throw refusal;
      },
    };
    const provider = failing(new Error('asked nevertheless'));
    await expect(meterProvider(provider, ledger).complete(REQUEST)).rejects.toBe(refusal);
  });

  it('settles in full what an endpoint does not count', async () => {
    const { told, ledger } = books();
    await meterProvider(
      fake(() => ({ inputTokens: 0, outputTokens: 0 })),
      ledger,
    ).complete(REQUEST);
    expect(told.at(-1)).toEqual(['settled', null]);
  });

  it.each([
    ['rate_limited', true],
    ['overloaded', true],
    ['server_error', true],
    ['auth', true],
    ['invalid_request', true],
    ['too_large', true],
    ['timeout', false],
    ['network', false],
    ['aborted', false],
    ['invalid_response', false],
  ] as [ModelErrorCode, boolean][])(
    'after %s gives back what nobody was paid: %s',
    async (code, released) => {
      const { told, ledger } = books();
      const error = new ModelError(code, { retryable: true });
      await expect(meterProvider(failing(error), ledger).complete(REQUEST)).rejects.toBe(error);
      expect(told.slice(1)).toEqual(released ? ['released'] : []);
    },
  );

  it('gives back what never left this machine', async () => {
    const { told, ledger } = books();
    const error = new ModelError('network', { retryable: true, unsent: true });
    await expect(meterProvider(failing(error), ledger).complete(REQUEST)).rejects.toBe(error);
    expect(told.at(-1)).toBe('released');
  });

  it('keeps an answer that was paid for though the books cannot be written', async () => {
    const lost: unknown[] = [];
    const gone = new Error('no database');
    const { ledger } = books(() => Promise.reject(gone));
    const provider = meterProvider(
      fake(() => ({ inputTokens: 1, outputTokens: 1 })),
      ledger,
      (error) => lost.push(error),
    );
    expect((await provider.complete(REQUEST)).stopReason).toBe('end_turn');
    const refused = new ModelError('overloaded', { retryable: true });
    await expect(
      meterProvider(failing(refused), ledger, (error) => lost.push(error)).complete(REQUEST),
    ).rejects.toBe(refused);
    expect(lost).toEqual([gone, gone]);
  });
});

describe('the bound of a request', () => {
  it('grows with every text in it, and is never below what running text takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (content, system) => {
        const bound = boundOf({ messages: [{ role: 'user', content }], system, maxTokens: 9 });
        expect(bound.outputTokens).toBe(9);
        expect(bound.inputTokens).toBeGreaterThan(
          (Buffer.byteLength(content) + Buffer.byteLength(system)) / 2,
        );
      }),
    );
  });
});
