import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createRegistry,
  FileMemoryBackend,
  type MemoryBackend,
  type MemoryBackendCapabilities,
  registerMemoryBackend,
} from '../memory-backend.ts';
import {
  buildExecutionMemoryInstructions,
  buildReviewerMemoryInstructions,
  buildTriageMemoryInstructions,
  ensureMemoryFileWithBackend,
  getDefaultMemoryScaffold,
  getProjectMemory,
  resolveMemoryInstructionContext,
  searchProjectMemory,
} from '../project-memory.ts';
import { buildMemoryNudge } from './recalled.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'slowwave-project-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ALL: MemoryBackendCapabilities = {
  readable: true,
  writable: true,
  supportsAtomicWrite: true,
  hasConflictResolution: true,
  persistent: true,
};

/** A backend that keeps one text in memory. */
function custom(
  type: string,
  more: Partial<MemoryBackend> = {},
): MemoryBackend & { text: () => string | null } {
  let text: string | null = null;
  return {
    type,
    name: `The ${type} backend`,
    capabilities: ALL,
    read: async () => ({ content: text ?? '', exists: text !== null, backend: type }),
    async write(_root, content) {
      text = content;
      return { success: true, backend: type };
    },
    text: () => text,
    ...more,
  };
}

const BUILDERS = [
  ['triage', buildTriageMemoryInstructions],
  ['execution', buildExecutionMemoryInstructions],
  ['reviewer', buildReviewerMemoryInstructions],
] as const;

describe('instruction context', () => {
  it('CT-12 names a registered backend as what it is, and an unknown one as the default', () => {
    registerMemoryBackend(custom('postgres', { name: 'PostgreSQL', pathHint: null }));
    registerMemoryBackend(custom('vault', { pathHint: 'vault/MEMORY.md' }));
    expect(resolveMemoryInstructionContext({ memoryBackendType: 'postgres' })).toEqual({
      backendType: 'postgres',
      backendName: 'PostgreSQL',
      capabilities: ALL,
      instructionPathHint: null,
    });
    expect(resolveMemoryInstructionContext({ memoryBackendType: 'vault' })).toMatchObject({
      backendType: 'vault',
      instructionPathHint: 'vault/MEMORY.md',
    });
    expect(buildTriageMemoryInstructions(root, { memoryBackendType: 'vault' })).toContain(
      '`vault/MEMORY.md`',
    );
    expect(resolveMemoryInstructionContext({ memoryBackendType: 'unknown' }).backendType).toBe('qmd');
    const own = createRegistry({ backends: [new FileMemoryBackend(), custom('mine')], defaultType: 'mine' });
    expect(resolveMemoryInstructionContext({}, own).backendType).toBe('mine');
  });

  it('CT-12 says of memory that is switched off nothing at all', () => {
    const off = { memoryEnabled: false, memoryBackendType: 'file' };
    expect(resolveMemoryInstructionContext(off)).toEqual({
      backendType: 'disabled',
      backendName: 'Disabled',
      capabilities: {
        readable: false,
        writable: false,
        supportsAtomicWrite: false,
        hasConflictResolution: false,
        persistent: false,
      },
      instructionPathHint: null,
    });
    for (const [, build] of BUILDERS)
      expect(build(root, off, [{ record: { kind: 'fact', content: 'x' } }])).toBe('');
  });
});

describe('instructions', () => {
  it.each(BUILDERS)('CT-13 of %s follow from what the backend can do', (_name, build) => {
    for (const readable of [false, true]) {
      for (const writable of [false, true]) {
        for (const pathHint of [null, 'place/MEMORY.md']) {
          registerMemoryBackend(custom('sample', { capabilities: { ...ALL, readable, writable }, pathHint }));
          const text = build(root, { memoryBackendType: 'sample' });
          expect(text === '').toBe(!readable);
          if (!readable) continue;
          expect(text).toContain('## Project Memory');
          const writes = build !== buildReviewerMemoryInstructions && writable;
          expect(text.includes('fn_memory_append')).toBe(writes);
          expect(text.includes('Format for additions')).toBe(
            writes && build === buildExecutionMemoryInstructions,
          );
          expect(text.includes('place/MEMORY.md')).toBe(writes && pathHint !== null);
          expect(text.includes('fn_memory_search')).toBe(writable);
          if (!writable && build !== buildReviewerMemoryInstructions)
            expect(text).not.toMatch(/write|update/i);
        }
      }
    }
  });

  it('carry a reminder within its size, and what was recalled as lines that are no headings', () => {
    expect(Buffer.byteLength(buildMemoryNudge('full').trim())).toBeLessThanOrEqual(360);
    expect(Buffer.byteLength(buildMemoryNudge('index').trim())).toBeLessThanOrEqual(180);
    expect(buildMemoryNudge('off')).toBe('');
    const recalled = [{ record: { kind: 'fact', content: `one\n# two ${'😀'.repeat(500)}` } }];
    const text = buildTriageMemoryInstructions(root, undefined, recalled, 'off');
    expect(text).toMatch(/^- \[fact\] one # two 😀+$/mu);
    expect(text).not.toMatch(/^# /m);
    expect(text).not.toMatch(/\p{Surrogate}/u);
    expect(buildTriageMemoryInstructions(root, undefined, [], 'off')).not.toContain('re-reading');
  });
});

describe('bootstrap', () => {
  const memory = () => readFile(join(root, '.fusion', 'memory', 'MEMORY.md'), 'utf8');

  it.each(['file', 'qmd'])('CT-14 creates %s once, however many do it at once', async (memoryBackendType) => {
    const made = await Promise.all(
      Array.from({ length: 12 }, () => ensureMemoryFileWithBackend(root, { memoryBackendType })),
    );
    expect(made.filter(Boolean).length).toBeLessThanOrEqual(1);
    const standing = await memory();
    expect(standing.startsWith('# Project Memory')).toBe(true);
    await writeFile(join(root, '.fusion', 'memory', 'MEMORY.md'), '');
    expect(await ensureMemoryFileWithBackend(root, { memoryBackendType })).toBe(false);
    expect(await memory()).toBe('');
    expect((await readdir(join(root, '.fusion', 'memory'))).filter((name) => !name.endsWith('.md'))).toEqual(
      [],
    );
  });

  it('CT-14 writes over nothing when the backend cannot tell, and no files for one without a disk', async () => {
    const lost = custom('lost', { exists: () => Promise.reject(new Error('no answer')) });
    registerMemoryBackend(lost);
    expect(await ensureMemoryFileWithBackend(root, { memoryBackendType: 'lost' })).toBe(false);
    expect(lost.text()).toBeNull();
    const degraded = custom('degraded', {
      read: async () => ({ content: '', exists: false, backend: 'degraded', degraded: true }),
    });
    registerMemoryBackend(degraded);
    expect(await ensureMemoryFileWithBackend(root, { memoryBackendType: 'degraded' })).toBe(false);
    expect(degraded.text()).toBeNull();
    const remote = custom('remote');
    registerMemoryBackend(remote);
    expect(await ensureMemoryFileWithBackend(root, { memoryBackendType: 'remote' })).toBe(true);
    expect(await ensureMemoryFileWithBackend(root, { memoryBackendType: 'remote' })).toBe(false);
    expect(remote.text()).toBe(getDefaultMemoryScaffold());
    expect(await readdir(root)).toEqual([]);
  });

  it('CT-14 leaves a file that cannot be read as it is', async () => {
    await mkdir(join(root, '.fusion', 'memory', 'MEMORY.md'), { recursive: true });
    expect(await ensureMemoryFileWithBackend(root, { memoryBackendType: 'file' })).toBe(false);
    expect(await readdir(join(root, '.fusion', 'memory', 'MEMORY.md'))).toEqual([]);
  });
});

it('a backend without search finds nothing, one without lines says so', async () => {
  registerMemoryBackend(custom('bare'));
  const settings = { memoryBackendType: 'bare' };
  expect(await searchProjectMemory(root, { query: 'x' }, settings)).toEqual([]);
  await expect(getProjectMemory(root, { path: 'MEMORY.md' }, settings)).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    backend: 'bare',
  });
});
