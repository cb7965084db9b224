import { fence } from './fence.ts';
import type { MemoryEntry, MemoryRelation } from './memory.ts';
import type { CompletionRequest } from './ports.ts';
import {
  CONNECTION_RULE,
  connectionLines,
  DATA_RULE,
  type RelationContextEntry,
  SUMMARY_SHAPE,
  sourceOf,
} from './prompt-source.ts';

const EXCERPT_CHARS = 80;

/**
 * The relations inside a cluster, seen from each of its memories: for memory i every memory of the cluster that it is related to,
 * whichever end it is. Strongest first, at most `maxPerMemory` per memory; relations that leave the cluster do not count.
 *
 * @param getRelations the relations of one memory, in either direction. One that only one end reports counts for both.
 */
export function buildRelationContext(
  cluster: MemoryEntry[],
  getRelations: (memoryId: string) => MemoryRelation[],
  maxPerMemory: number,
): RelationContextEntry[] {
  const indexes = new Map(cluster.map(({ id }, index) => [id, index]));
  const found = cluster.map(() => new Map<string, RelationContextEntry>());
  for (const { id } of cluster) {
    for (const relation of getRelations(id)) {
      const [from, to] = [indexes.get(relation.sourceId), indexes.get(relation.targetId)];
      if (from === undefined || to === undefined || from === to) continue;
      keepStronger(found[from]!, entryOf(cluster, from, to, relation));
      keepStronger(found[to]!, entryOf(cluster, to, from, relation));
    }
  }
  return found.flatMap((entries) =>
    [...entries.values()].sort(byStrength).slice(0, Math.max(0, maxPerMemory)),
  );
}

function entryOf(
  cluster: MemoryEntry[],
  from: number,
  to: number,
  { relationType, confidence }: MemoryRelation,
): RelationContextEntry {
  return {
    memoryIndex: from + 1,
    relationType,
    targetIndex: to + 1,
    targetContent: excerptOf(cluster[to]!.content),
    confidence,
  };
}

/** Both ends report a relation, and a pair may have been related more than once. */
function keepStronger(entries: Map<string, RelationContextEntry>, entry: RelationContextEntry): void {
  const key = `${entry.targetIndex} ${entry.relationType}`;
  const known = entries.get(key);
  if (!known || byStrength(entry, known) < 0) entries.set(key, entry);
}

function byStrength(one: RelationContextEntry, other: RelationContextEntry): number {
  return strengthOf(other) - strengthOf(one) || one.targetIndex - other.targetIndex;
}

function strengthOf({ confidence }: RelationContextEntry): number {
  return Number.isFinite(confidence) ? confidence : 0;
}

/** At most 80 UTF-16 units, without half a character at the end. */
function excerptOf(content: string): string {
  return content.slice(0, EXCERPT_CHARS).replace(/[\uD800-\uDBFF]$/, '');
}

/**
 * The request for one cluster of the night: as `buildFusionPrompt`, and it asks for the thread between categories, which the connections
 * show. The offline provider reads it like the other fusion requests.
 */
export function buildNremFusionPrompt(
  cluster: MemoryEntry[],
  relationContext: RelationContextEntry[],
): CompletionRequest {
  const connections = connectionLines(relationContext);
  const system = `You carry out the deep sleep consolidation of one person's memories: turn the numbered memories into one summary that is shorter than they are together and leaves no distinct fact out.
${DATA_RULE}
${CONNECTION_RULE}
These memories can be cross-category, a preference beside an event, for example. Write one coherent text that shows the thread between them as far as the memories say it themselves, not a list. Make up no cause, motive or link. Keep what happened at one time apart from what holds in general.
${SUMMARY_SHAPE}`;
  const parts = [
    'MEMORIES TO MERGE:',
    fence('SOURCES', cluster.map(sourceOf)),
    '',
    'CONNECTIONS:',
    ...(connections.length > 0 ? connections : [UNCONNECTED]),
    '',
    'Write the one summary (JSON only).',
  ];
  return {
    messages: [{ role: 'user', content: parts.join('\n') }],
    system,
    temperature: 0.1,
    maxTokens: 500,
  };
}

const UNCONNECTED =
  'No explicit connections. Memories with no explicit connections can still be about one thing; if these are not, say each of them plainly.';
