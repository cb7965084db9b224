import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSpool, SPOOLS_MAX, spool } from './spool.ts';

describe('a spool', () => {
  const usual = process.env.TMPDIR;
  let folder: string;
  // A folder for temporary files that nobody else uses.
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'spools '));
    process.env.TMPDIR = folder;
  });
  afterAll(async () => {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
    await rm(folder, { recursive: true, force: true });
  });

  it('gives back what it took, byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
    async function* source() {
      for (let from = 0; from < bytes.length; from += 70_001) yield bytes.subarray(from, from + 70_001);
    }
    const parts: Uint8Array[] = [];
    for await (const part of await spool(source())) parts.push(part);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  it('is refused beyond the greatest number, until another one is closed', async () => {
    const held = await Promise.all(Array.from({ length: SPOOLS_MAX }, openSpool));
    await expect(openSpool()).rejects.toMatchObject({ status: 503, code: 'too_busy' });
    await held[0]!.close();
    await held[0]!.close();
    held[0] = await openSpool();
    await expect(openSpool()).rejects.toMatchObject({ code: 'too_busy' });
    for (const { close } of held) await close();
  });

  it('leaves no file behind, not even while it is open', async () => {
    const held = await openSpool();
    expect(await readdir(folder)).toEqual([]);
    await held.close();
    async function* failing() {
      yield Buffer.from('x');
      throw new RangeError('broken off');
    }
    await expect(spool(failing())).rejects.toBeInstanceOf(RangeError);
    expect(await readdir(folder)).toEqual([]);
  });
});
