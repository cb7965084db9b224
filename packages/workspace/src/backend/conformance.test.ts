import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ConformanceSetup,
  memoryBackendConformance,
} from '../../../../test/conformance/memory-backend.ts';
import { fakeQmd } from '../../../../test/fakes/qmd.ts';
import {
  FileMemoryBackend,
  type MemoryBackend,
  QmdMemoryBackend,
  ReadOnlyMemoryBackend,
} from '../memory-backend.ts';

async function onDisk(backend: MemoryBackend): Promise<ConformanceSetup> {
  const base = await mkdtemp(join(tmpdir(), 'slowwave workspace '));
  let count = 0;
  const folder = (root: string) => join(root, '.fusion', 'memory');
  return {
    backend,
    async project() {
      const root = join(base, String(count++), 'project');
      await mkdir(root, { recursive: true });
      return root;
    },
    async put(root, name, content) {
      await mkdir(folder(root), { recursive: true });
      await writeFile(join(folder(root), name), content);
    },
    async names(root) {
      return readdir(folder(root)).catch(() => []);
    },
    async close() {
      await rm(base, { recursive: true, force: true });
    },
  };
}

memoryBackendConformance('file', () => onDisk(new FileMemoryBackend()));
memoryBackendConformance('readonly', () => onDisk(new ReadOnlyMemoryBackend()));
memoryBackendConformance('qmd', async () => {
  const fake = await fakeQmd();
  const setup = await onDisk(
    new QmdMemoryBackend({
      // Processes are what the tests of the search look at.
      executor: fake.executorHere,
      command: fake.command,
      refreshes: false,
      // Files written a moment ago count as indexed, so that the index answers and not the files.
      now: () => Date.now() + 60_000,
    }),
  );
  return {
    ...setup,
    async close() {
      await setup.close();
      await fake.close();
    },
  };
});
memoryBackendConformance('qmd without an executable', () =>
  onDisk(
    new QmdMemoryBackend({
      executor: async () => {
        throw Object.assign(new Error('not found'), { code: 'ENOENT' });
      },
    }),
  ),
);
