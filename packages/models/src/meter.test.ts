import {
  type CompletionRequest,
  type Embedder,
  type LLMProvider,
  ModelError,
  type ModelErrorCode,
} from '@slowwave/fusion';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundOf, type CallBound, type Ledger, meterEmbedder, meterProvider } from './meter.ts';

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

describe('meterEmbedder', () => {
  const ledger = (events: unknown[]): Ledger => ({
    async reserve(bound) {
      events.push(bound);
      return {
        settle: async (usage) => void events.push(['settle', usage]),
        release: async () => void events.push(['release']),
      };
    },
  });
  const embedderOf = (embed: Embedder['embed'], isCharged = true): Embedder => ({
    name: 'openai',
    model: 'v',
    dimensions: null,
    threshold: 0.5,
    isCharged,
    embed,
  });
  const vectors = (texts: string[]) => texts.map(() => new Float32Array(2));

  it('reserves the most that the texts can take, and settles what the answers counted', async () => {
    const events: unknown[] = [];
    const metered = meterEmbedder(
      embedderOf(async (texts, options) => {
        for (const _ of texts) options?.onTokens?.(2);
        return vectors(texts);
      }),
      ledger(events),
    );
    expect(await metered.embed(['abc', 'def'])).toHaveLength(2);
    expect(await metered.embed([])).toEqual([]);
    expect(events).toEqual([
      { provider: 'openai', model: 'v', inputTokens: 6, outputTokens: 0 },
      ['settle', { inputTokens: 4, outputTokens: 0 }],
    ]);
  });

  it('counts in full what was not counted, gives back what was refused, and leaves open what nobody knows of', async () => {
    const ends = async (embed: Embedder['embed']) => {
      const events: unknown[] = [];
      await meterEmbedder(embedderOf(embed), ledger(events))
        .embed(['a'])
        .catch(() => {});
      return events.slice(1);
    };
    const fail = (code: 'rate_limited' | 'timeout') => new ModelError(code, { retryable: true });
    expect(await ends(async (texts) => vectors(texts))).toEqual([['settle', null]]);
    expect(await ends(() => Promise.reject(fail('rate_limited')))).toEqual([['release']]);
    expect(await ends(() => Promise.reject(fail('timeout')))).toEqual([]);
    const second: Embedder['embed'] = async (_texts, options) => {
      options?.onTokens?.(2);
      throw fail('rate_limited');
    };
    expect(await ends(second)).toEqual([]);
  });

  it('enters an embedder under the name that it is charged as', async () => {
    const events: unknown[] = [];
    const sized = { ...embedderOf(async (texts) => vectors(texts)), model: 'v@2', chargedAs: 'v' };
    await meterEmbedder(sized, ledger(events)).embed(['a']);
    expect(events[0]).toMatchObject({ model: 'v' });
  });

  it('enters nothing of an embedder that costs nothing', () => {
    const free = embedderOf(async (texts) => vectors(texts), false);
    expect(meterEmbedder(free, ledger([]))).toBe(free);
  });
});
