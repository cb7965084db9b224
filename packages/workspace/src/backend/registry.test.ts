import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createRegistry,
  FileMemoryBackend,
  listMemoryBackendTypes,
  type MemoryBackend,
  MemoryBackendError,
  ReadOnlyMemoryBackend,
} from '../memory-backend.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'slowwave-registry-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function custom(type: string, fails?: MemoryBackendError): MemoryBackend {
  return {
    type,
    name: `The ${type} backend`,
    capabilities: { ...new FileMemoryBackend().capabilities, supportsAtomicWrite: false },
    async read() {
      if (fails) throw fails;
      return { content: type, exists: true, backend: type };
    },
    async write() {
      if (fails) throw fails;
      return { success: true, backend: type };
    },
  };
}

describe('registry', () => {
  it('CT-12 the type in the settings is taken, an unknown or empty one is the default', () => {
    const file = new FileMemoryBackend();
    const registry = createRegistry({ backends: [file, custom('mine')], defaultType: 'mine' });
    expect(registry.resolve({ memoryBackendType: 'file' })).toBe(file);
    for (const memoryBackendType of ['other', '', undefined]) {
      expect(registry.resolve({ memoryBackendType }).type).toBe('mine');
    }
    expect(registry.resolve().type).toBe('mine');
    expect(registry.capabilities().supportsAtomicWrite).toBe(false);
  });

  it('CT-12 a backend takes the place of one of its type, in this registry alone', () => {
    const ofTheProcess = listMemoryBackendTypes();
    const registry = createRegistry({ backends: [new FileMemoryBackend(), new ReadOnlyMemoryBackend()] });
    const mine = custom('file');
    registry.register(mine);
    registry.register(custom('other'));
    expect(registry.get('file')).toBe(mine);
    expect(registry.types()).toEqual(['file', 'readonly', 'other']);
    expect(listMemoryBackendTypes()).toEqual(ofTheProcess);
    // Whatever was registered for the process later stands behind these.
    expect(ofTheProcess.slice(0, 3)).toEqual(['file', 'readonly', 'qmd']);
  });

  it('CT-12 without the default, nothing is guessed', () => {
    const registry = createRegistry({ backends: [new FileMemoryBackend()] });
    expect(() => registry.resolve()).toThrow(expect.objectContaining({ code: 'BACKEND_UNAVAILABLE' }));
  });

  it('CT-06 a failed read is empty and says so', async () => {
    await mkdir(join(root, '.fusion', 'memory', 'MEMORY.md'), { recursive: true });
    const registry = createRegistry({ backends: [new FileMemoryBackend()], defaultType: 'file' });
    expect(await registry.read(root)).toEqual({
      content: '',
      exists: false,
      backend: 'file',
      degraded: true,
    });
  });

  it('CT-18 no answer is an empty, flagged read and a failed write', async () => {
    const away = custom('away', new MemoryBackendError('BACKEND_UNAVAILABLE', 'no answer', 'away'));
    const registry = createRegistry({ backends: [away], defaultType: 'away' });
    expect(await registry.read(root)).toMatchObject({ content: '', exists: false, degraded: true });
    await expect(registry.write(root, 'x')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(await registry.exists(root)).toBe(false);
    const refusing = custom('away', new MemoryBackendError('UNSUPPORTED', 'no', 'away'));
    registry.register(refusing);
    await expect(registry.read(root)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });

  it('CT-05 a backend that cannot write is not asked', async () => {
    let asked = 0;
    const deaf = { ...custom('deaf'), write: async () => ({ success: true, backend: `deaf ${asked++}` }) };
    deaf.capabilities = { ...deaf.capabilities, writable: false };
    const registry = createRegistry({ backends: [deaf], defaultType: 'deaf' });
    await expect(registry.write(root, 'x')).rejects.toMatchObject({ code: 'READ_ONLY', backend: 'deaf' });
    expect(asked).toBe(0);
  });

  it('passes on what a writer expects', async () => {
    const registry = createRegistry({ backends: [new FileMemoryBackend()], defaultType: 'file' });
    await registry.write(root, 'one');
    const write = registry.write(root, 'two', {}, { expectedVersion: null });
    await expect(write).rejects.toMatchObject({ code: 'CONFLICT' });
    await writeFile(join(root, '.fusion', 'memory', 'MEMORY.md'), 'edited');
    expect((await registry.read(root)).content).toBe('edited');
    expect(await readFile(join(root, '.fusion', 'memory', 'MEMORY.md'), 'utf8')).toBe('edited');
  });
});
