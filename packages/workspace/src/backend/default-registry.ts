import { QmdMemoryBackend } from '../qmd/backend.ts';
import { FileMemoryBackend } from './file.ts';
import { ReadOnlyMemoryBackend } from './read-only.ts';
import { createRegistry } from './registry.ts';
import type {
  MemoryBackend,
  MemoryBackendCapabilities,
  MemoryReadResult,
  MemorySettings,
  MemoryWriteOptions,
  MemoryWriteResult,
} from './types.ts';

const registry = createRegistry({
  backends: [new FileMemoryBackend(), new ReadOnlyMemoryBackend(), new QmdMemoryBackend()],
});

/** Adds a backend for the whole process; one of the same type takes the place of the one before. */
export function registerMemoryBackend(backend: MemoryBackend): void {
  registry.register(backend);
}

export function getMemoryBackend(type: string): MemoryBackend | undefined {
  return registry.get(type);
}

export function listMemoryBackendTypes(): string[] {
  return registry.types();
}

export function resolveMemoryBackend(settings?: MemorySettings): MemoryBackend {
  return registry.resolve(settings);
}

export function getMemoryBackendCapabilities(settings?: MemorySettings): MemoryBackendCapabilities {
  return registry.capabilities(settings);
}

/** The long-term memory of a project; what cannot be read is empty, with `degraded` set. */
export async function readMemory(rootDir: string, settings?: MemorySettings): Promise<MemoryReadResult> {
  return registry.read(rootDir, settings);
}

export async function writeMemory(
  rootDir: string,
  content: string,
  settings?: MemorySettings,
  options?: MemoryWriteOptions,
): Promise<MemoryWriteResult> {
  return registry.write(rootDir, content, settings, options);
}

export async function memoryExists(rootDir: string, settings?: MemorySettings): Promise<boolean> {
  return registry.exists(rootDir, settings);
}
