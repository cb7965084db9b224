import { isMemoryError, MemoryBackendError } from './errors.ts';
import type {
  MemoryBackend,
  MemoryBackendCapabilities,
  MemoryReadResult,
  MemorySettings,
  MemoryWriteOptions,
  MemoryWriteResult,
} from './types.ts';

export const MEMORY_BACKEND_SETTINGS_KEYS = { MEMORY_BACKEND_TYPE: 'memoryBackendType' } as const;
export const DEFAULT_MEMORY_BACKEND = 'qmd';

export interface RegistryOptions {
  backends?: readonly MemoryBackend[];
  /** Taken when settings name none or an unknown one; default qmd. */
  defaultType?: string;
}

/** The backends that somebody may use, and what is done with the one that settings choose. */
export interface MemoryRegistry {
  /** A backend of the same type takes the place of the one before. */
  register(backend: MemoryBackend): void;
  get(type: string): MemoryBackend | undefined;
  /** In order of registration. */
  types(): string[];
  /** The one that settings name, else the default. @throws MemoryBackendError BACKEND_UNAVAILABLE without either */
  resolve(settings?: MemorySettings): MemoryBackend;
  capabilities(settings?: MemorySettings): MemoryBackendCapabilities;
  /** A backend that cannot answer reads as empty, with `degraded` set. */
  read(rootDir: string, settings?: MemorySettings): Promise<MemoryReadResult>;
  /** @throws MemoryBackendError READ_ONLY before a backend that cannot write is asked, and what the backend throws */
  write(
    rootDir: string,
    content: string,
    settings?: MemorySettings,
    options?: MemoryWriteOptions,
  ): Promise<MemoryWriteResult>;
  /** False also when the backend cannot tell; who must know asks the backend itself. */
  exists(rootDir: string, settings?: MemorySettings): Promise<boolean>;
}

/** A registry of its own: what one service registers, no other sees. */
export function createRegistry(options: RegistryOptions = {}): MemoryRegistry {
  const backends = new Map<string, MemoryBackend>();
  for (const backend of options.backends ?? []) backends.set(backend.type, backend);
  const defaultType = options.defaultType ?? DEFAULT_MEMORY_BACKEND;

  function resolve(settings?: MemorySettings): MemoryBackend {
    const asked = settings?.[MEMORY_BACKEND_SETTINGS_KEYS.MEMORY_BACKEND_TYPE];
    const type = typeof asked === 'string' && asked !== '' ? asked : defaultType;
    const backend = backends.get(type) ?? backends.get(defaultType);
    if (backend) return backend;
    throw new MemoryBackendError(
      'BACKEND_UNAVAILABLE',
      'The default memory backend is not registered',
      defaultType,
    );
  }

  return {
    register: (backend) => void backends.set(backend.type, backend),
    get: (type) => backends.get(type),
    types: () => [...backends.keys()],
    resolve,
    capabilities: (settings) => resolve(settings).capabilities,
    async read(rootDir, settings) {
      const backend = resolve(settings);
      try {
        return await backend.read(rootDir);
      } catch (error) {
        if (!isMemoryError(error, 'READ_FAILED', 'BACKEND_UNAVAILABLE')) throw error;
        return { content: '', exists: false, backend: backend.type, degraded: true };
      }
    },
    async write(rootDir, content, settings, write) {
      const backend = resolve(settings);
      if (!backend.capabilities.writable) {
        throw new MemoryBackendError('READ_ONLY', 'This memory backend cannot be written', backend.type);
      }
      return backend.write(rootDir, content, write);
    },
    async exists(rootDir, settings) {
      const backend = resolve(settings);
      try {
        if (backend.exists) return await backend.exists(rootDir);
        return (await backend.read(rootDir)).exists;
      } catch {
        return false;
      }
    },
  };
}
