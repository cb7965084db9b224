import {
  displayPath,
  isDocumentName,
  MEMORY_DREAMS_FILENAME,
  MEMORY_LONG_TERM_FILENAME,
} from '../files/paths.ts';
import type { FileEntry } from '../files/port.ts';
import type { MemoryFileInfo, MemoryLayer } from './types.ts';

const ORDER: Record<MemoryLayer, number> = { 'long-term': 0, daily: 1, dreams: 2 };

export function layerOf(name: string): MemoryLayer {
  if (name === MEMORY_LONG_TERM_FILENAME) return 'long-term';
  return name === MEMORY_DREAMS_FILENAME ? 'dreams' : 'daily';
}

function labelOf(name: string): string {
  const layer = layerOf(name);
  if (layer === 'long-term') return 'Long-term memory';
  return layer === 'dreams' ? 'Dreams' : `Daily notes ${name.slice(0, 10)}`;
}

/** The documents of the contract among a workspace's files: long-term, daily (newest first), dreams. */
export function fileInfos(entries: readonly FileEntry[], folder?: string): MemoryFileInfo[] {
  return entries
    .filter((entry) => isDocumentName(entry.path))
    .map((entry) => ({
      path: displayPath(entry.path, folder),
      label: labelOf(entry.path),
      layer: layerOf(entry.path),
      size: entry.size,
      updatedAt: new Date(entry.updatedAt).toISOString(),
    }))
    .sort((a, b) => ORDER[a.layer] - ORDER[b.layer] || (a.path < b.path ? 1 : -1));
}
