import { resolveMemoryBackend } from '../backend/default-registry.ts';
import type { MemoryRegistry } from '../backend/registry.ts';
import type { MemoryBackend, MemoryBackendCapabilities, MemorySettings } from '../backend/types.ts';
import { QmdMemoryBackend } from '../qmd/backend.ts';

/** What instructions about memory may say of the backend. */
export interface MemoryInstructionContext {
  /** `disabled` when memory is switched off. */
  backendType: string;
  backendName: string;
  capabilities: MemoryBackendCapabilities;
  /** Where the memory is, as in .fusion/memory/MEMORY.md; null: nowhere that an agent should name. */
  instructionPathHint: string | null;
}

/** The name that instructions have always called qmd by. */
const QMD_NAME = 'QMD (Quantized Memory Distillation)';
const NO_CAPABILITIES: MemoryBackendCapabilities = {
  readable: false,
  writable: false,
  supportsAtomicWrite: false,
  hasConflictResolution: false,
  persistent: false,
};

function nameOf(backend: MemoryBackend): string {
  return backend instanceof QmdMemoryBackend ? QMD_NAME : backend.name;
}

/**
 * What the chosen backend is and can do, whichever it is: one that was registered is named as itself, an unknown type is the default.
 * @param registry default: that of the whole process
 */
export function resolveMemoryInstructionContext(
  settings?: MemorySettings,
  registry?: Pick<MemoryRegistry, 'resolve'>,
): MemoryInstructionContext {
  if (settings?.memoryEnabled === false) {
    return {
      backendType: 'disabled',
      backendName: 'Disabled',
      capabilities: NO_CAPABILITIES,
      instructionPathHint: null,
    };
  }
  const backend = registry ? registry.resolve(settings) : resolveMemoryBackend(settings);
  return {
    backendType: backend.type,
    backendName: nameOf(backend),
    capabilities: { ...backend.capabilities },
    instructionPathHint: backend.capabilities.writable ? (backend.pathHint ?? null) : null,
  };
}
