import type { ModelHints } from './answer.ts';
import type { Candidate, Cluster, MemoryCategory } from './memory.ts';
import type { DerivedMemory } from './ports.ts';

/** The two tiers that fuse. */
export type FusionTier = 'deep' | 'sleep';

export interface DeriveOptions {
  tier: FusionTier;
  /** The instant of the job, epoch milliseconds. */
  at: number;
}

/** Prominence of a derived memory: a little above its best source, at most 0.6 unless a source stands higher already. */
export function derivedProminence(best: number): number {
  return Math.max(best, Math.min(0.6, best + 0.1));
}

/** The most common category; on a tie the one that comes first. With `mixed`, several categories make an insight. */
export function derivedCategory(categories: MemoryCategory[], mixed: 'majority' | 'insight'): MemoryCategory {
  const counts = new Map<MemoryCategory, number>();
  for (const category of categories) counts.set(category, (counts.get(category) ?? 0) + 1);
  if (mixed === 'insight' && counts.size > 1) return 'insight';
  let best: MemoryCategory = categories[0]!;
  for (const [category, count] of counts) {
    if (count > counts.get(best)!) best = category;
  }
  return best;
}

/**
 * The derived memory of a judged summary. What it replaces (covered sources) decides its importance, category, dates and prominence; what
 * the model has read (all members) decides confidence, trust and visibility, so that nothing is laundered through a summary.
 *
 * @throws TypeError when the cluster mixes origin classes or covers a memory that is not its own: a mistake of the caller.
 */
export function deriveMemory(
  cluster: Cluster,
  judged: { summary: string; coveredIds: string[]; hints?: ModelHints },
  options: DeriveOptions,
): DerivedMemory {
  const ids = new Set(judged.coveredIds);
  const covered = cluster.members.filter(({ id }) => ids.has(id));
  const { members } = cluster;
  if (covered.length === 0 || covered.length !== ids.size)
    throw new TypeError('covered ids must be members of the cluster');
  const { origin } = members[0]!;
  if (members.some((member) => member.origin !== origin))
    throw new TypeError('a cluster holds one origin class');
  const uncoveredIds = members.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
  return {
    content: judged.summary,
    category: derivedCategory(
      covered.map(({ category }) => category),
      options.tier === 'sleep' ? 'insight' : 'majority',
    ),
    origin,
    visibility: members.some(({ visibility }) => visibility === 'private') ? 'private' : 'shared',
    importance: Math.max(...covered.map(({ importance }) => importance)),
    confidence: Math.min(...members.map(({ confidence }) => confidence)),
    trust: Math.min(...members.map(({ trust }) => trust)),
    prominence: derivedProminence(Math.max(...covered.map(({ prominence }) => prominence))),
    documentDate: Math.max(...covered.map(({ documentDate }) => documentDate)),
    ...eventRange(covered),
    sourceChunk: covered.map(({ content }) => content).join(' | '),
    learnedFrom: options.tier === 'sleep' ? 'nrem_consolidation' : 'consolidation',
    metadata: {
      fusedAt: new Date(options.at).toISOString(),
      sourceCount: covered.length,
      sourceIds: covered.map(({ id }) => id),
      // Read by the model but not replaced: forgetting one of these concerns the derived memory too.
      ...(uncoveredIds.length > 0 ? { uncoveredIds } : {}),
      ...(judged.hints && Object.keys(judged.hints).length > 0 ? { modelHints: judged.hints } : {}),
    },
    coveredIds: covered.map(({ id }) => id),
  };
}

/** Union of the times at which the sources are true. An open end stays open. */
function eventRange(covered: Candidate[]): Pick<DerivedMemory, 'eventDate' | 'validFrom' | 'validTo'> {
  const ends = covered.map(({ validTo }) => validTo);
  return {
    eventDate: earliest(covered.map(({ eventDate }) => eventDate)),
    validFrom: earliest(covered.map(({ validFrom }) => validFrom)),
    validTo: ends.includes(null) ? null : Math.max(...(ends as number[])),
  };
}

function earliest(times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
