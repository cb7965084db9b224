import { createComponents } from '../components.ts';
import type { MemoryCategory } from '../memory.ts';
import type { ClusterOutcome } from '../outcome.ts';
import { detectLanguage } from '../reading/languages/detect.ts';
import type { LaneWord } from '../statements/decide.ts';

/** A memory of an evaluation set, by the ids of the set. */
interface MarkedMemory {
  tenant: string;
  user: string;
  externalId: string;
  content: string;
  metadata: Record<string, unknown>;
}

/** Notes that say the same: each restates another one of them, by `metadata.restates`. */
export interface RestatementGroup {
  tenant: string;
  user: string;
  /** Language code of its notes together; null where it has no tables. */
  language: string | null;
  /** External ids. */
  ids: string[];
}

/** How far groups of notes that say the same have come: each figure counts groups of which at least two notes were together. */
export interface GroupCounts {
  groups: number;
  /** In the window of one plan, where its tier lets them meet, or one of them with a statement of the other. */
  met: number;
  /** In one request. */
  offered: number;
  /** In one statement that the writer proposed, and in one that was written. */
  proposed: number;
  accepted: number;
}

export interface GroupFigures extends GroupCounts {
  /** Proposed statements of two notes of a group that were not accepted, by lane. */
  refused: Partial<Record<LaneWord, number>>;
  byLanguage: Record<string, GroupCounts>;
  /** Requests to the writer (what says a statement again goes to the judge alone), and tokens of writer and judge together. */
  requests: number;
  tokens: number;
  /** Notes that statements stand for, less the statements. */
  saved: number;
}

/** The groups of a set: connected by who restates whom, in the order of their first notes. */
export function restatementGroups(memories: readonly MarkedMemory[]): RestatementGroup[] {
  const keyOf = ({ tenant, user }: MarkedMemory, id: string) => JSON.stringify([tenant, user, id]);
  const places = new Map(memories.map((memory, place) => [keyOf(memory, memory.externalId), place]));
  const components = createComponents(memories.length);
  for (const [place, memory] of memories.entries()) {
    const { restates } = memory.metadata;
    const other = typeof restates === 'string' ? places.get(keyOf(memory, restates)) : undefined;
    if (other !== undefined) components.join(place, other, () => true);
  }
  return memories.flatMap(({ tenant, user }, place) => {
    const members = [...components.membersOf(place)].sort((a, b) => a - b).map((one) => memories[one]!);
    if (components.find(place) !== place || members.length < 2) return [];
    const language = detectLanguage(members.map(({ content }) => content).join('\n'));
    return [{ tenant, user, language, ids: members.map(({ externalId }) => externalId) }];
  });
}

/** A memory that a plan may take. */
export interface MetMemory {
  id: string;
  category: MemoryCategory;
  origin: string;
}

/** Follows the groups of a set through simulated nights. */
export interface GroupTracker {
  /** What stood in the window of a plan. @param crossCategory whether the plan joins memories of several categories */
  met(memories: readonly MetMemory[], crossCategory: boolean): void;
  ended(outcome: ClusterOutcome): void;
  figures(): GroupFigures;
}

/** @param groupOf number of the group of a memory, by its own id */
export function trackGroups(
  groups: readonly Pick<RestatementGroup, 'language'>[],
  groupOf: ReadonlyMap<string, number>,
): GroupTracker {
  const seen = {
    met: new Set<number>(),
    offered: new Set<number>(),
    proposed: new Set<number>(),
    accepted: new Set<number>(),
  };
  const refused: GroupFigures['refused'] = {};
  const keys = new Set<string>();
  /** Of each statement that was written, the notes that it stands for. */
  const standsFor = new Map<string, string[]>();
  let [tokens, saved] = [0, 0];

  /** Groups that have two of the memories; a statement counts as its notes. */
  function pairedIn(ids: readonly string[]): Set<number> {
    const [once, twice] = [new Set<number>(), new Set<number>()];
    for (const id of ids.flatMap((one) => standsFor.get(one) ?? one)) {
      const group = groupOf.get(id);
      if (group !== undefined) (once.has(group) ? twice : once).add(group);
    }
    return twice;
  }
  const mark = (word: keyof typeof seen, ids: readonly string[]) => {
    for (const group of pairedIn(ids)) seen[word].add(group);
  };
  const countsOf = (isCounted: (group: number) => boolean): GroupCounts => {
    const count = (set: ReadonlySet<number>) => [...set].filter(isCounted).length;
    return {
      groups: groups.filter((_, group) => isCounted(group)).length,
      met: count(seen.met),
      offered: count(seen.offered),
      proposed: count(seen.proposed),
      accepted: count(seen.accepted),
    };
  };

  return {
    met(memories, crossCategory) {
      const parts = new Map<string, string[]>();
      for (const { id, category, origin } of memories) {
        const part = crossCategory ? origin : `${origin} ${category}`;
        parts.set(part, [...(parts.get(part) ?? []), id]);
      }
      for (const ids of parts.values()) mark('met', ids);
    },
    ended(outcome) {
      tokens += outcome.usage.inputTokens + outcome.usage.outputTokens;
      if (outcome.key === null || outcome.status === 'skipped') return;
      const isRestatement = outcome.memberIds.some((id) => standsFor.has(id));
      if (!isRestatement) {
        keys.add(outcome.key);
        mark('offered', outcome.memberIds);
      }
      if (!('decided' in outcome)) return;
      const made = 'derivedIds' in outcome ? [...outcome.derivedIds] : [];
      for (const { lane, sourceIds } of outcome.decided) {
        if (isRestatement) for (const word of ['met', 'offered'] as const) mark(word, sourceIds);
        mark('proposed', sourceIds);
        const isAccepted = lane === 'judged' || lane === 'repeat';
        if (isAccepted) mark('accepted', sourceIds);
        else if (pairedIn(sourceIds).size > 0) refused[lane] = (refused[lane] ?? 0) + 1;
        if (!isAccepted || outcome.status !== 'committed') continue;
        const [statement, notes] = isRestatement
          ? [sourceIds[0], sourceIds.slice(1)]
          : [made.shift(), sourceIds];
        if (statement !== undefined)
          standsFor.set(statement, [...(standsFor.get(statement) ?? []), ...notes]);
      }
      if (outcome.status === 'committed' && !outcome.already)
        saved += outcome.superseded - outcome.derivedIds.length;
    },
    figures() {
      const languages = [...new Set(groups.map(({ language }) => language ?? 'other'))].sort();
      return {
        ...countsOf(() => true),
        refused: { ...refused },
        byLanguage: Object.fromEntries(
          languages.map((language) => [
            language,
            countsOf((group) => (groups[group]!.language ?? 'other') === language),
          ]),
        ),
        requests: keys.size,
        tokens,
        saved,
      };
    },
  };
}
