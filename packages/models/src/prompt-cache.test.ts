import { describe, expect, it } from 'vitest';
import { startBatchesServer } from '../../../test/fakes/batches-server.ts';
import { createAnthropicProvider } from './anthropic.ts';
import { bodyOf } from './anthropic-messages.ts';
import { createPrefixMemory, isCacheable, withCache } from './prompt-cache.ts';

const MODEL = 'claude-haiku-5-5';
const LONG = 'Keep every fact. '.repeat(200);
const body = (system: string, model = MODEL, content = 'Tea?') =>
  bodyOf(model, { system, messages: [{ role: 'user', content }] });

describe('the cache of a prompt', () => {
  it('is asked for where the prefix is long enough for the model, and for no model that nobody knows', () => {
    expect(isCacheable(body(LONG))).toBe(true);
    expect(isCacheable(body(LONG, `${MODEL}-20261101`))).toBe(true);
    expect(isCacheable(body('Be brief.'))).toBe(false);
    expect(isCacheable(body(LONG, 'a-model-of-our-own'))).toBe(false);
    // Exactly as long as the shortest one that is kept, the schema (none: "null") included, and one token less.
    expect(isCacheable(body('a'.repeat(4 * 512 - 4)))).toBe(true);
    expect(isCacheable(body('a'.repeat(4 * 511 - 4)))).toBe(false);
    expect(isCacheable(bodyOf(MODEL, { messages: [{ role: 'user', content: LONG }] }))).toBe(false);
  });

  it('keeps the prefix and nothing of what is asked about', () => {
    const { system, messages } = withCache(body(LONG));
    expect(system).toEqual([{ type: 'text', text: LONG, cache_control: { type: 'ephemeral' } }]);
    expect(messages).toEqual(body(LONG).messages);
  });

  it('is written for a prefix that came less than five minutes ago, and never for the first', () => {
    let nowMs = 0;
    const prefixes = createPrefixMemory(() => nowMs);
    const asks = [
      [0, false],
      [1_000, true],
      [300_999, true],
      [600_999, false],
      [600_999 + 299_999, true],
    ] as const;
    for (const [at, repeated] of asks) {
      nowMs = at;
      expect([at, prefixes.isRepeated(body(LONG, MODEL, `Question ${at}`))]).toEqual([at, repeated]);
    }
    expect(prefixes.isRepeated(body(`${LONG}!`))).toBe(false);
    expect(prefixes.isRepeated(body('Be brief.'))).toBe(false);
  });

  it('is in the usage of the answers, and read at a tenth of the price', async () => {
    const server = await startBatchesServer(() => Date.UTC(2026, 10, 22));
    try {
      const provider = createAnthropicProvider({
        apiKey: 'k',
        model: MODEL,
        baseUrl: server.url,
        timeoutMs: 60_000,
      });
      const usages = [];
      for (const content of ['One?', 'Two?', 'Three?']) {
        const answer = await provider.complete({ system: LONG, messages: [{ role: 'user', content }] });
        usages.push(answer.usage);
      }
      const prefix = Math.ceil((LONG.length + 4) / 4);
      expect(usages[0]).not.toHaveProperty('cacheWriteTokens');
      expect(usages[1]).toMatchObject({ inputTokens: 1, cacheWriteTokens: prefix });
      expect(usages[2]).toMatchObject({ inputTokens: 2, cacheReadTokens: prefix });
    } finally {
      await server.stop();
    }
  });
});
