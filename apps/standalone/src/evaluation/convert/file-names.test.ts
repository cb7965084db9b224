import { expect, it } from 'vitest';
import { createFileNames } from './file-names.ts';

it('makes names that every file system takes, and no two the same', () => {
  const nameOf = createFileNames();
  expect(
    ['conv-26', 'Conv-26', '../a/b', '..', 'con', 'nul.x', '', 'ü', 'x'.repeat(200)].map(nameOf),
  ).toEqual([
    'conv-26.jsonl',
    'Conv-26-2.jsonl',
    '--a-b.jsonl',
    '-.jsonl',
    'sample-con.jsonl',
    'sample-nul.x.jsonl',
    'sample-.jsonl',
    '--2.jsonl',
    `${'x'.repeat(60)}.jsonl`,
  ]);
});
