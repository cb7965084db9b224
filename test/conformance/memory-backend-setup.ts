import type { MemoryBackend } from '@slowwave/workspace';
import { expect } from 'vitest';

/** Two projects of one backend, and ways around it to see and set what it works on. */
export interface ConformanceSetup {
  backend: MemoryBackend;
  /** A project without memory, fresh at every call; the last part of its path is always the same name. */
  project(): Promise<string>;
  /** Puts a file of the memory folder there, past the backend: documents as well as memory-insights.md and the like. */
  put(rootDir: string, name: string, content: string): Promise<void>;
  /** All names that stand in the memory folder, temporary ones included. */
  names(rootDir: string): Promise<string[]>;
  /** A backend whose store holds at most about 1,000 bytes; absent where nothing is limited. */
  limited?: (rootDir: string) => Promise<MemoryBackend>;
  /** A backend whose store does not answer; absent where there is no such state. */
  down?: () => Promise<MemoryBackend>;
  close(): Promise<void>;
}

export interface About {
  context: () => ConformanceSetup;
}

export function code(expected: string) {
  return expect.objectContaining({ name: 'MemoryBackendError', code: expected });
}

export async function rejectsAs(work: Promise<unknown>, expected: string): Promise<void> {
  await expect(work).rejects.toEqual(code(expected));
}
