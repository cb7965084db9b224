/** Sample values for the unit tests of this package; nothing here is exported from it. */
import type { Candidate, Cluster, Edge, MemoryEntry, MemoryRelation } from '../memory.ts';

export const AT = Date.UTC(2026, 5, 1, 12);
export const DAY = 86_400_000;

export function entry(overrides: Partial<MemoryEntry> & { id: string }): MemoryEntry {
  return {
    userId: 'u1',
    content: `Content of ${overrides.id}`,
    category: 'fact',
    memoryType: 'regular',
    importance: 5,
    confidence: 0.8,
    isLatest: true,
    documentDate: AT - 30 * DAY,
    eventDate: null,
    prominence: 0.3,
    lastAccessed: null,
    accessCount: 0,
    sourceChunk: null,
    embedding: null,
    metadata: null,
    createdAt: AT - 30 * DAY,
    updatedAt: AT - 30 * DAY,
    ...overrides,
  };
}

export function candidate(overrides: Partial<Candidate> & { id: string }): Candidate {
  return {
    contentHash: `hash-${overrides.id}`,
    version: 1,
    content: `Likes the thing called ${overrides.id}`,
    category: 'fact',
    memoryType: 'regular',
    origin: 'user',
    visibility: 'private',
    importance: 5,
    confidence: 0.8,
    trust: 0.9,
    prominence: 0.3,
    confirmations: 0,
    documentDate: AT - 30 * DAY,
    eventDate: null,
    validFrom: null,
    validTo: null,
    createdAt: AT - 30 * DAY,
    ...overrides,
  };
}

/** A cluster of memories m1, m2, ... with these contents. */
export function clusterOf(...contents: string[]): Cluster {
  return {
    members: contents.map((content, index) => candidate({ id: `m${index + 1}`, content })),
    relations: [],
  };
}

export function relation(a: string, b: string, weight = 0.8): Edge {
  return { a, b, weight, kind: 'relation', relationType: 'EXTENDS' };
}

export function neighbour(a: string, b: string, weight: number): Edge {
  return { a, b, weight, kind: 'neighbour' };
}

/** Close by shared words alone: as close as this. */
export function close(a: string, b: string, words: number): Edge {
  return { a, b, weight: 0, words, kind: 'close' };
}

export function memoryRelation(sourceId: string, targetId: string): MemoryRelation {
  return {
    id: `${sourceId}-${targetId}`,
    sourceId,
    targetId,
    relationType: 'EXTENDS',
    confidence: 0.8,
    createdAt: AT,
  };
}
