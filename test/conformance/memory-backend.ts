import type { MemoryBackend } from '@slowwave/workspace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathStatements, windowStatements } from './memory-backend-paths.ts';
import { searchStatements } from './memory-backend-search.ts';
import { type About, type ConformanceSetup, rejectsAs } from './memory-backend-setup.ts';
import { stateStatements, textStatements } from './memory-backend-writes.ts';

export type { ConformanceSetup } from './memory-backend-setup.ts';

/** What every backend owes to its callers, by the numbers of the conformance list. Run it inside of a test file. */
export function memoryBackendConformance(name: string, setup: () => Promise<ConformanceSetup>): void {
  describe(`memory backend conformance: ${name}`, () => {
    let s: ConformanceSetup;
    let b: MemoryBackend;
    beforeAll(async () => {
      s = await setup();
      b = s.backend;
    });
    afterAll(() => s.close());

    it('CT-01 absent memory is empty and does not exist', async () => {
      const root = await s.project();
      expect(await b.read(root)).toMatchObject({ content: '', exists: false, backend: b.type });
      if (b.exists) expect(await b.exists(root)).toBe(false);
      if (b.list) expect(await b.list(root)).toEqual([]);
      if (b.search) expect(await b.search(root, { query: 'anything' })).toEqual([]);
      await rejectsAs(b.get!(root, { path: 'MEMORY.md' }), 'NOT_FOUND');
    });

    const about = { context: () => s };
    if (name.startsWith('readonly')) readOnlyStatements(about);
    else {
      textStatements(about);
      pathStatements(about);
      windowStatements(about);
      searchStatements(about);
      stateStatements(about);
    }
  });
}

function readOnlyStatements({ context }: About): void {
  it('CT-05 a read-only backend reads as empty and refuses every write', async () => {
    const { backend, project, put } = context();
    const root = await project();
    await put(root, 'MEMORY.md', 'stands there all the same');
    expect(backend.capabilities).toMatchObject({ readable: true, writable: false, persistent: false });
    expect(await backend.read(root)).toMatchObject({ content: '', exists: false });
    await rejectsAs(backend.write(root, 'x'), 'READ_ONLY');
    await rejectsAs(backend.writeFile!(root, 'MEMORY.md', 'x'), 'READ_ONLY');
    await rejectsAs(backend.append!(root, 'MEMORY.md', 'x'), 'READ_ONLY');
    await rejectsAs(backend.get!(root, { path: 'MEMORY.md' }), 'NOT_FOUND');
    expect(await backend.search!(root, { query: 'stands' })).toEqual([]);
  });
}
