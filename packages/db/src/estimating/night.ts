import {
  buildJudgeRequest,
  buildLabelRequest,
  buildReflectionRequest,
  buildRemRequest,
  buildStatementsRequest,
  type Cluster,
  type CompletionRequest,
  canariesFor,
  createRandom,
  estimateTokens,
  judgeItems,
  PAIRS_PER_REQUEST,
  planClusters,
  planRem,
  SLEEP_WINDOW,
  windowOf,
} from '@slowwave/fusion';
import { listCandidatePairs } from '../conflicts/label.ts';
import { listUnreflected } from '../conversations/summaries.ts';
import type { Database, Transaction } from '../database.ts';
import { loadRemGraph, readRemState } from '../exploration/graph.ts';
import { listJudgedPairs, pairKey } from '../exploration/verdicts.ts';
import { judgeHashOf } from '../fusions/judge-answers.ts';
import { createMemoryStore } from '../fusions/store.ts';
import { getUser } from '../scheduling/users.ts';
import { getUserProfile } from '../signals/profile.ts';

/** The steps of a night that ask a model. */
export const NIGHT_STEPS = ['conflicts', 'nrem', 'judge', 'rem', 'reflection'] as const;
export type NightStep = (typeof NIGHT_STEPS)[number];

/** What one step of the next night would ask of a model, if it began now. */
export interface StepEstimate {
  step: NightStep;
  requests: number;
  inputTokens: number;
  /** As answers usually are; none is longer than its request allows. */
  outputTokens: number;
}

export interface NightQuestion {
  tenant: string;
  user: string;
  /** Epoch ms. */
  at: number;
  embedder: { model: string; threshold: number };
  /** Pairs, clusters, seeds and summaries of one night, by step; a step that is absent has its usual number. */
  items?: Partial<Record<Exclude<NightStep, 'judge'>, number>> | undefined;
  /** Whether a language model judges the statements; it does when absent. */
  isJudged?: boolean | undefined;
}

const DAY_MS = 24 * 60 * 60_000;
const ITEMS: Record<Exclude<NightStep, 'judge'>, number> = {
  conflicts: 48,
  nrem: 10,
  rem: 6,
  reflection: 40,
};
/** An answer's frame, and what a pair or a candidate adds to it, in tokens. */
const FRAME_TOKENS = 60;
const VERDICT_TOKENS = 45;
/** A derived memory is about so much shorter than its sources. */
const SHORTER = 0.8;
/** About so many sources of a cluster are in a statement, so long compared with all of them; each is judged twice. */
const IN_STATEMENTS = 0.5;
const VOTES = 2;
const PROFILE_TOKENS = 800;

interface Planned {
  request: CompletionRequest;
  outputTokens: number;
}

/**
 * Plans the next night of a user as if it began now, and counts what it would ask. Nobody is asked, and nothing is written. Answers that
 * were paid for and would be used again are counted as if they had to be paid for; repairs, and what the night itself makes new, are not.
 * @returns null when there is no such user; no step for a user for whom nothing is fused
 */
export async function estimateNight(database: Database, of: NightQuestion): Promise<StepEstimate[] | null> {
  const { tenant, user } = of;
  const owner = await database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
  if (owner === null) return null;
  if (owner.mode === 'off') return [];
  const items = { ...ITEMS, ...of.items };
  const { timezone } = owner;
  const planned: Record<NightStep, Planned[]> = {
    ...(await planFusions(database, { ...of, timezone, limit: items.nrem })),
    ...(await database.withTenant(tenant, async (tx) => ({
      conflicts: await planLabels(tx, { ...of, timezone, limit: items.conflicts }),
      rem: await planSeeds(tx, { ...of, limit: items.rem }),
      reflection: await planReflection(tx, { ...of, limit: items.reflection }),
    }))),
  };
  const steps = NIGHT_STEPS.filter((step) => step !== 'judge' || of.isJudged !== false);
  return steps.map((step) => ({ step, ...sumOf(planned[step]) }));
}

function sumOf(planned: readonly Planned[]): Omit<StepEstimate, 'step'> {
  const sum = { requests: planned.length, inputTokens: 0, outputTokens: 0 };
  for (const { request, outputTokens } of planned) {
    sum.inputTokens += tokensOf(request);
    sum.outputTokens += Math.min(outputTokens, request.maxTokens ?? outputTokens);
  }
  return sum;
}

function tokensOf({ system, messages, schema }: CompletionRequest): number {
  const texts = [
    system ?? '',
    schema === undefined ? '' : JSON.stringify(schema),
    ...messages.map(({ content }) => content),
  ];
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

type Limited = NightQuestion & { limit: number };

async function planFusions(
  database: Database,
  of: Limited & { timezone: string },
): Promise<Record<'nrem' | 'judge', Planned[]>> {
  const { tenant, user, at, embedder, limit, timezone } = of;
  // Only reading: nobody holds the user, and no key is made.
  const store = createMemoryStore(database, {
    tenant,
    user,
    at,
    timezone,
    lease: { holder: '', fence: 0 },
    runId: null,
    tier: 'sleep',
    // Whoever judged: what was asked about is not asked about again.
    promptVersion: '',
    model: '',
    embeddingModel: embedder.model,
    mode: 'preview',
  });
  const bounds = { ...SLEEP_WINDOW, maxClusters: limit, edgeThreshold: embedder.threshold };
  const { candidates, edges, apart, offered } = await store.loadCandidates(windowOf(bounds));
  const { clusters } = planClusters(candidates, edges, {
    ...bounds,
    at,
    isKnownSourceSet: store.isKnownSourceSet,
    ...(apart ? { apart } : {}),
    offered: offered ?? [],
  });
  const votes = clusters.flatMap((cluster) => Array.from({ length: VOTES }, () => planVote(cluster)));
  return { nrem: clusters.map(planStatements), judge: votes };
}

function planStatements(cluster: Cluster): Planned {
  const sources = cluster.members.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const outputTokens = Math.ceil(sources * IN_STATEMENTS * SHORTER) + FRAME_TOKENS;
  return { request: buildStatementsRequest(cluster), outputTokens };
}

/** Half of the sources, and one of them in the place of what is not written yet. */
function planVote({ members }: Cluster): Planned {
  const taken = members.slice(0, Math.max(2, Math.ceil(members.length * IN_STATEMENTS)));
  const said = taken.map(({ content }) => ({ content, day: null }));
  const statement = { text: said.at(-1)!.content, sources: said.map((_, at) => at) };
  const hash = judgeHashOf('estimate');
  const items = judgeItems(said, [statement], canariesFor(said, hash), hash);
  const request = buildJudgeRequest(items, { vote: 1 });
  return { request, outputTokens: Math.ceil((request.maxTokens ?? 0) / 2) };
}

async function planLabels(tx: Transaction, of: Limited & { timezone: string }): Promise<Planned[]> {
  const pairs = await listCandidatePairs(tx, of);
  const planned: Planned[] = [];
  for (let from = 0; from < pairs.length; from += PAIRS_PER_REQUEST) {
    const batch = pairs.slice(from, from + PAIRS_PER_REQUEST);
    planned.push({
      request: buildLabelRequest(batch),
      outputTokens: FRAME_TOKENS + VERDICT_TOKENS * batch.length,
    });
  }
  return planned;
}

/** The seeds that the night would begin with; what it connects before is not there yet. */
async function planSeeds(tx: Transaction, of: Limited): Promise<Planned[]> {
  const { tenant, user, at, embedder, limit } = of;
  const { graph, explored } = await readRemState(tx, { tenant, user });
  if (graph === explored) return [];
  const { model, threshold } = embedder;
  const loaded = await loadRemGraph(tx, { tenant, user, at, embeddingModel: model, threshold });
  const judged = await listJudgedPairs(tx, { tenant, user });
  const { seeds } = planRem(loaded.nodes, loaded.edges, {
    seeds: limit,
    edgeThreshold: loaded.threshold,
    random: createRandom(JSON.stringify([tenant, user, loaded.graph])),
    isJudged: (a, b) => judged.has(pairKey(a, b)),
  });
  return seeds.map((seed) => ({
    request: buildRemRequest(seed),
    outputTokens: FRAME_TOKENS + VERDICT_TOKENS * seed.candidates.length,
  }));
}

async function planReflection(tx: Transaction, of: Limited): Promise<Planned[]> {
  const { tenant, user, at, limit } = of;
  const summaries = await listUnreflected(tx, { tenant, user, since: at - DAY_MS, at, limit });
  if (summaries.length === 0) return [];
  const profile = (await getUserProfile(tx, { tenant, user }))?.profile ?? null;
  return [{ request: buildReflectionRequest({ summaries, profile }), outputTokens: PROFILE_TOKENS }];
}
