import {
  buildLabelRequest,
  buildReflectionRequest,
  buildRemRequest,
  buildStatementsRequest,
  buildSummaryRequest,
  type Candidate,
  type CompletionRequest,
  type ConflictPair,
  estimateTokens,
  type RemNode,
  type Tier,
} from '@slowwave/fusion';

/** What models are asked for one user who writes on a day. Assumptions, as far as the product does not bound them. */
export interface Talk {
  /** Memories written on such a day. */
  memories: number;
  sessions: number;
  /** Share of memories that end up in a fusion one day, 0 to 1. */
  fused: number;
}

/** Questions of one kind: how often for a day on which somebody writes, and how large one is. */
export interface Question {
  kind: 'fusion' | 'summary' | 'labels' | 'rem' | 'reflection';
  tier: Tier;
  perActiveDay: number;
  /** In tokens. */
  input: number;
  output: number;
}

/** A memory of 24 words, as assistants write them. */
const TEXT =
  'The user plans to move to a larger flat near the harbour in spring, because the present one has no room for a desk.';
const CLUSTER = 4;
const PAIRS = 6;
const SEEDS = 6;
const CANDIDATES = 8;
const MESSAGES = 20;
/** The frame of an answer in JSON, what a verdict adds to it, and a derived memory against its sources; as the product's estimate has them. */
const FRAME_TOKENS = 60;
const VERDICT_TOKENS = 45;
const SHORTER = 0.8;
const SUMMARY_TOKENS = 140;
const PROFILE_TOKENS = 800;

const memory: ConflictPair['a'] & Candidate & RemNode = {
  id: 'a',
  contentHash: '',
  version: 1,
  content: TEXT,
  category: 'fact',
  memoryType: 'regular',
  origin: 'user',
  visibility: 'private',
  importance: 5,
  confidence: 0.8,
  trust: 0.8,
  prominence: 0.4,
  confirmations: 0,
  documentDate: 0,
  eventDate: null,
  validFrom: null,
  validTo: null,
  createdAt: 0,
  workspace: null,
  archived: false,
};

const times = <T>(count: number, what: T): T[] => Array.from({ length: count }, () => what);

function tokensOf({ system, messages, schema }: CompletionRequest): number {
  const texts = [
    system ?? '',
    schema ? JSON.stringify(schema) : '',
    ...messages.map(({ content }) => content),
  ];
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** The requests that the product itself builds, of usual size, and how many of each a day of writing leads to sooner or later. */
export function questionsOf({ memories, sessions, fused }: Talk): Question[] {
  const text = estimateTokens(TEXT);
  const cluster = { members: times(CLUSTER, memory), relations: [] };
  const candidates = times(CANDIDATES, { node: memory, activation: 1 });
  const message = { role: 'user', content: TEXT, saidAt: 0 } as const;
  const summary = { sessionId: 's', summary: `${TEXT} ${TEXT}`, topics: ['flat', 'harbour', 'desk'], at: 0 };
  const profile = Array.from({ length: 300 }, () => 'word').join(' ');
  const one = (
    kind: Question['kind'],
    tier: Tier,
    perActiveDay: number,
    request: CompletionRequest,
    output: number,
  ): Question => ({ kind, tier, perActiveDay, input: tokensOf(request), output: Math.ceil(output) });
  return [
    one(
      'fusion',
      'deep',
      (memories * fused) / CLUSTER,
      buildStatementsRequest(cluster),
      SHORTER * CLUSTER * text + FRAME_TOKENS,
    ),
    one('summary', 'deep', sessions, buildSummaryRequest(times(MESSAGES, message)), SUMMARY_TOKENS),
    one(
      'labels',
      'sleep',
      1,
      buildLabelRequest(times(PAIRS, { a: memory, b: memory })),
      FRAME_TOKENS + VERDICT_TOKENS * PAIRS,
    ),
    one(
      'rem',
      'sleep',
      SEEDS,
      buildRemRequest({ seed: memory, candidates }),
      FRAME_TOKENS + VERDICT_TOKENS * CANDIDATES,
    ),
    one(
      'reflection',
      'sleep',
      1,
      buildReflectionRequest({ summaries: times(sessions, summary), profile }),
      PROFILE_TOKENS,
    ),
  ];
}
