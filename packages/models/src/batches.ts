import type { CompletionRequest, CompletionResponse } from '@slowwave/fusion';

/** Most requests and bytes that a provider takes in one batch. */
export const BATCH_REQUESTS_MAX = 100_000;
export const BATCH_BYTES_MAX = 256 * 1024 * 1024;

/** One question of a batch. */
export interface BatchRequest {
  /** Ours: the result bears it. Letters, digits, `-` and `_`, at most 64. */
  id: string;
  /** As `bodyOf` made it. */
  body: string;
}

/** A batch as its provider knows it. Holds no text of a request or an answer. */
export interface BatchState {
  /** The provider's. */
  id: string;
  /** Every request of an ended one has its result. */
  ended: boolean;
  /** How many requests it has. */
  requests: number;
  /** Epoch ms. */
  createdAt: number;
}

/** What came of one question. */
export type BatchResult =
  | { id: string; outcome: 'answered'; answer: CompletionResponse }
  /** Nobody was paid. */
  | { id: string; outcome: 'errored' | 'expired' | 'canceled' }
  /** A result that is none; whether somebody was paid nobody knows. */
  | { id: string; outcome: 'unreadable' };

/**
 * Port: questions that are asked together, at a lower price, and answered some hours later. Nothing is idempotent: whoever does not know
 * what became of a `create` has to look through `list`.
 * All methods throw ModelError, classified as those of a provider and without any text of a request or an answer.
 */
export interface BatchApi {
  create(requests: readonly BatchRequest[]): Promise<BatchState>;
  retrieve(id: string): Promise<BatchState>;
  /** The results of an ended batch, in any order; null for a line that names no request. */
  results(id: string): AsyncIterable<BatchResult | null>;
  /** The batches made since an instant, the newest first. @param since epoch ms */
  list(since: number): Promise<BatchState[]>;
  /** Asks for the end of a batch. What is being answered may still be, and is paid for. */
  cancel(id: string): Promise<void>;
}

/** A provider's batches, and how it takes a request. */
export interface Batches {
  api: BatchApi;
  /** The body of one request, JSON. It holds memories' text. */
  bodyOf(model: string, request: CompletionRequest): string;
}
