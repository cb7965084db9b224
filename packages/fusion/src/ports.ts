import type { Candidate, Cluster, Edge } from './memory.ts';

/** A text block of a model's answer. */
export interface TextBlock {
  type: 'text';
  text: string;
}

export interface CompletionMessage {
  role: 'user' | 'assistant';
  content: string;
}

/** A request to a language model. A provider drops what its model rejects (temperature, for instance). */
export interface CompletionRequest {
  messages: CompletionMessage[];
  system?: string;
  temperature?: number;
  /** Upper bound of the answer, in tokens. */
  maxTokens?: number;
  /** JSON schema that the answer must satisfy, for providers with structured output. */
  schema?: Record<string, unknown>;
  /**
   * What makes this question this one and no other: what is asked about, under which prompt and model, for the how-manieth time. Whoever
   * keeps answers finds them by it. Absent: the answer is for now or never.
   */
  question?: string;
  signal?: AbortSignal;
}

/** Tokens of one answer, as whoever answered counts them. */
export interface TokenCounts {
  /** Read, without those that a cache was asked for. */
  inputTokens: number;
  outputTokens: number;
  /** Of a prefix: found in the provider's cache, and put there. */
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
}

export interface CompletionResponse {
  content: TextBlock[];
  /** 'end_turn', 'max_tokens' (truncated), 'refusal', or another word of the provider. */
  stopReason: string;
  usage: TokenCounts;
  model: string;
}

/** Port: a language model. */
export interface LLMProvider {
  name: string;
  /** The model asked, as it stands in the fusion key. Absent on minimal providers. */
  model?: string;
  isAvailable(): boolean;
  complete(request: CompletionRequest): Promise<CompletionResponse>;
}

export interface EmbedOptions {
  signal?: AbortSignal;
  /** Told how many tokens the endpoint counted, once for each of its answers that says so. */
  onTokens?: (tokens: number) => void;
  /**
   * Told the index of each text that the embedder refuses however short it is made. Such a text gets a vector of zeros, which has no
   * direction. Absent: `embed` throws instead.
   */
  onRefused?: (index: number) => void;
}

/** Port: text to unit vectors. */
export interface Embedder {
  name: string;
  /** Stored beside every vector; vectors of different models are never compared. */
  model: string;
  /** The name under which its calls are priced and counted, where that is not `model`. */
  chargedAs?: string;
  /** Components per vector; null until the first answer tells. */
  dimensions: number | null;
  /** Cosine from which two memories count as related under this model (0 to 1). */
  threshold: number;
  /** Its vectors know the words of a text and nothing of their meaning; absent: they know meaning. */
  lexical?: boolean;
  /** Its endpoint may charge for the tokens of each call; absent: embedding costs nothing. */
  isCharged?: boolean;
  /** One unit vector per text, in order; see `onRefused` for texts that have none. */
  embed(texts: string[], options?: EmbedOptions): Promise<Float32Array[]>;
}

export type ModelErrorCode =
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'network'
  | 'aborted'
  | 'invalid_request'
  | 'too_large'
  | 'auth'
  /** Not asked: a budget does not allow it now. */
  | 'budget'
  /** Not answered yet: it waits in a batch, and a later run finds the answer. */
  | 'batched'
  | 'invalid_response';

/** The part of a request that an endpoint refuses, as far as its answer names one. */
export type RefusedPart = 'length' | 'max_tokens' | 'temperature' | 'schema';

/** What went wrong at a model's border, classified once. Carries no text of a request or an answer. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly retryable: boolean;
  readonly status: number | null;
  /** How long the provider asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** The request never left: nobody can have been paid for it. */
  readonly unsent: boolean;
  /** What the endpoint refuses of the request; null: it does not say, or did not refuse it. */
  readonly about: RefusedPart | null;

  constructor(
    code: ModelErrorCode,
    details: {
      retryable: boolean;
      status?: number;
      retryAfterMs?: number;
      hint?: string;
      unsent?: boolean;
      about?: RefusedPart | null;
    },
  ) {
    super(details.hint ? `model call failed: ${code} (${details.hint})` : `model call failed: ${code}`);
    this.name = 'ModelError';
    this.code = code;
    this.retryable = details.retryable;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.unsent = details.unsent ?? false;
    this.about = details.about ?? null;
  }
}

/** The window of prominence and the bounds of one planning pass. */
export interface PlanWindow {
  minProminence: number;
  maxProminence: number;
  /** Memories younger than this are left alone, in milliseconds. */
  minAgeMs: number;
  /** How close a memory that has faded below the window, or is archived, must be to one inside to be planned with it; absent: none is. */
  partners?: { minCloseness: number; edgeThreshold: number };
}

export interface LoadedCandidates {
  candidates: Candidate[];
  edges: Edge[];
  /** How many of the user's memories are latest (for the share check of the gate). */
  latestCount: number;
  /** Pairs whose disagreement is not settled: never in one cluster. */
  apart?: { a: string; b: string }[];
  /** Pairs that were in one group of a request before, under their present contents. */
  offered?: OfferedPair[];
  restating?: Restating;
}

/** Statements that are close to candidates. Their edges lead from a statement to a candidate, and were never asked about. */
export interface Restating {
  statements: Candidate[];
  edges: Edge[];
}

/** `failed`: their request came to no answer, so that the pair has not been asked about. */
export interface OfferedPair {
  a: string;
  b: string;
  failed: boolean;
}

/** A model's answer as the ledger keeps it. */
export interface StoredAnswer {
  text: string;
  stopReason: string;
  inputTokens: number;
  outputTokens: number;
  model: string;
}

export type ClaimResult =
  | { status: 'claimed'; key: string; attempt: number; answer: StoredAnswer | null }
  /** applied, undone, rejected, forgotten, failed before, or a source is claimed by another live fusion */
  | { status: 'skipped'; key: string; reason: SkipReason };

export type SkipReason =
  | 'applied'
  | 'undone'
  | 'rejected'
  | 'forgotten'
  /** Asked and answered before: whatever came of it stands as statements of its own. */
  | 'closed'
  | 'failed_before'
  | 'claimed'
  | 'stale';

export const FUSION_FAILURES = [
  'not_shorter',
  'invalid_output',
  'refused',
  'truncated',
  'share_exceeded',
  'provider_error',
] as const;
export type FusionFailure = (typeof FUSION_FAILURES)[number];

/** A pair of memories that somebody says disagree. `slot` is the question they answer differently, in a model's words: it is never logged. */
export interface ReportedPair {
  a: string;
  b: string;
  kind: 'contradictory' | 'ambiguous';
  slot: string;
}

/** Two duplicates: one stands for both from now on, the other is superseded by it. */
export interface Merge {
  keepId: string;
  dropId: string;
}

/** What one commit writes: the derived memory's own fields and the sources that it supersedes. */
export interface DerivedMemory {
  content: string;
  category: Candidate['category'];
  origin: Candidate['origin'];
  visibility: Candidate['visibility'];
  importance: number;
  confidence: number;
  trust: number;
  prominence: number;
  documentDate: number;
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  sourceChunk: string;
  learnedFrom: 'consolidation' | 'nrem_consolidation';
  metadata: Record<string, unknown>;
  /** Ids of the sources that the gate found covered: these and no others are superseded. */
  coveredIds: string[];
}

export type CommitResult =
  | { status: 'applied'; derivedId: string; superseded: number }
  /** Applied before, by this or another worker: success. */
  | { status: 'already'; derivedId: string }
  /** The user wants to see fusions first: it waits for a person, and nothing is superseded. */
  | { status: 'proposed'; derivedId: string }
  /** A preview: nothing was written but the answer that was paid for. */
  | { status: 'previewed'; derivedId: string }
  /** A source changed under us: plan anew. Not an error. */
  | { status: 'stale' }
  /** Undone, rejected or forgotten meanwhile: leave it. */
  | { status: 'stopped'; reason: SkipReason }
  /** Another worker holds the user now. */
  | { status: 'lease_lost' };

export type StatementsResult =
  /** `derivedIds` without the statements that were only said again. */
  | { status: 'applied' | 'proposed' | 'previewed'; derivedIds: string[]; superseded: number }
  /** No statement was accepted; nobody asks about these sources under these contents again. */
  | { status: 'closed' }
  | Extract<CommitResult, { status: 'stale' | 'stopped' | 'lease_lost' }>;

/** Port: the memories of one user during one job. Bound to tenant, user, instant, lease, step and model. */
export interface MemoryStore {
  loadCandidates(window: PlanWindow): Promise<LoadedCandidates>;
  /** Writes or finds the ledger row and claims its sources; hands back a paid answer that may still be used. */
  claimFusion(cluster: Cluster, options?: { retry?: boolean }): Promise<ClaimResult>;
  /** Called before an answer is judged, so that it is never paid for twice. */
  storeAnswer(key: string, attempt: number, answer: StoredAnswer): Promise<void>;
  /**
   * Writes the accepted statements of a fusion and the merges into statements that were said again, each with its own key, and closes the
   * fusion; in one transaction.
   * @param reason in one word, why nothing was accepted; null when something was, or nothing was proposed
   */
  commitStatements(
    key: string,
    cluster: Cluster,
    statements: readonly DerivedMemory[],
    of: { merges?: readonly Merge[]; conflicts: readonly ReportedPair[]; reason: string | null },
  ): Promise<StatementsResult>;
  /** `final: false` keeps the key open for the retry queue; `rejectAnswer` marks the stored answer as judged and unusable. */
  failFusion(
    key: string,
    failure: { code: string; final: boolean; rejectAnswer: boolean; conflicts?: ReportedPair[] },
  ): Promise<void>;
}
