import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { rm } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { keptDump } from '../fixtures/in-memory.ts';

it('keptDump: a file that another process made meanwhile stays as it was opened', async () => {
  const name = `test-${randomUUID()}`;
  let finish: (dump: Blob) => void = () => {};
  const late = keptDump(
    name,
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  const file = await keptDump(name, async () => new Blob(['first']));
  onTestFinished(() => rm(file));
  const opened = await openAsBlob(file);
  finish(new Blob(['the other']));
  expect(await late).toBe(file);
  expect(await opened.text()).toBe('first');
});
