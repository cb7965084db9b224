import { expect, test } from 'vitest';
import { type ImportBatch, importBatches } from './batches.ts';
import { parseImport } from './parse.ts';

async function batchesOf(
  lines: object[],
  limits: { lines?: number; chars?: number },
): Promise<ImportBatch[]> {
  const defaults = { user: 'u', date: Date.UTC(2026, 0), category: 'fact' } as const;
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const batches: ImportBatch[] = [];
  for await (const batch of importBatches(parseImport(text, { defaults }), limits)) batches.push(batch);
  return batches;
}

test('lines are grouped by what is to be done with them', async () => {
  const [first, second] = await batchesOf(
    [
      { content: 'a', mood: 1 },
      { content: '' },
      { kind: 'user', user: 'u' },
      { content: 'a', mood: 1 },
      { content: 'b', mood: 1 },
    ],
    { lines: 4 },
  );
  expect(first).toMatchObject({
    memories: [{ line: 1, record: { content: 'a' } }],
    bad: [{ line: 2, reason: { code: 'empty' } }],
    users: [{ line: 3, record: { user: 'u' } }],
    duplicates: [{ line: 4, duplicateOf: 1 }],
    lastLine: 4,
  });
  expect(first!.unknown).toEqual(new Map([['mood', 2]]));
  expect(second).toMatchObject({ memories: [{ line: 5 }], bad: [], users: [], duplicates: [], lastLine: 5 });
});

test('a batch ends when its memories have filled it', async () => {
  const contents = ['xxxx', 'yyyy', 'z', 'w'].map((content) => ({ content }));
  const batches = await batchesOf(contents, { chars: 5 });
  expect(batches.map((batch) => batch.memories.length)).toEqual([2, 2]);
  expect(batches.map((batch) => batch.lastLine)).toEqual([2, 4]);
});

test('an empty file has no batches, a whole number of batches no empty one at its end', async () => {
  expect(await batchesOf([], {})).toEqual([]);
  expect(await batchesOf([{ content: 'a' }, { content: 'b' }], { lines: 1 })).toHaveLength(2);
});
