import { describe, expect, it } from 'vitest';
import { askModel, textOf } from './ask.ts';

const REST = {
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1 },
  model: 'fake',
};

describe('an answer', () => {
  const answering = (...texts: string[]) => ({
    name: 'fake',
    model: 'fake',
    isAvailable: () => true,
    complete: async () => ({ ...REST, content: texts.map((text) => ({ type: 'text' as const, text })) }),
  });

  it('is kept without what no database can take', async () => {
    const { text } = await askModel(answering('a\0b', '\ud83d half'), { messages: [] });
    expect(text).toBe('a\uFFFDb\uFFFD half');
  });

  it('is its blocks of text, joined before they are looked at', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'whole \ud83d' },
      { type: 'text', text: '\ude34' },
    ] as never;
    expect(textOf({ ...REST, content })).toBe('whole 😴');
  });
});
