import { recallMemories } from '@slowwave/api';
import { z } from 'zod';
import { shortened } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

const RESULTS = 10;
const TITLE_CHARS = 80;
const TEXT_CHARS = 12_000;
const hints = { readOnly: true, idempotent: true };
const titleOf = (content: string): string => shortened(content.split('\n')[0]!, TITLE_CHARS).content;
const addressOf = (id: string): string => `slowwave://memories/${id}`;

/** ChatGPT's deep research calls these two and no other: JSON in one text, and no structured output. */
export const CHATGPT_TOOLS: readonly Tool[] = [
  tool({
    name: 'search',
    title: 'Search memories',
    description: 'Finds memories of the user that answer a question. fetch reads one whole.',
    role: 'read',
    hints,
    input: { query: recallMemories.body.shape.query },
    async call({ query }, { client, user }) {
      const { memories } = await client.recallMemories({ user, query, limit: RESULTS });
      const results = memories.map(({ id, content }) => ({
        id,
        title: titleOf(content),
        url: addressOf(id),
      }));
      return JSON.stringify({ results });
    },
  }),
  tool({
    name: 'fetch',
    title: 'Read one memory',
    description: 'Reads one memory whole, by the id that search told.',
    role: 'read',
    hints,
    input: { id: z.string().min(1) },
    async call({ id }, { client, user }) {
      const { content, category, origin, trust, ...memory } = await client.getMemory({ user, id });
      return JSON.stringify({
        id: memory.id,
        title: titleOf(content),
        text: shortened(content, TEXT_CHARS).content,
        url: addressOf(memory.id),
        metadata: { category, origin, trust },
      });
    },
  }),
];
