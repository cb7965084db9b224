import { expect, test } from 'vitest';
import { formatOf } from './format.ts';

test.each([
  ['memories.jsonl', 'hello', 'jsonl'],
  ['memories.NDJSON', '', 'jsonl'],
  ['memories.json', '', 'jsonl'],
  ['notes.txt', '{"content":"x"}', 'text'],
  ['notes', '\ufeff\n  {"content":"x"}', 'jsonl'],
  [null, '[\n{"content":"x"}]', 'jsonl'],
  [null, '[{"content":"x"}]', 'jsonl'],
  [null, '[ ] buy milk', 'text'],
  ['notes.md', 'Likes tea\n{', 'text'],
  [null, '', 'text'],
] as const)('%s beginning with %j is %s', (name, text, format) => {
  expect(formatOf(name, Buffer.from(text))).toBe(format);
});
