import type { QueueName } from './names.ts';

export type BackendKind = 'redis' | 'postgres' | 'embedded';

export type UnavailableReason =
  | 'invalid_url'
  | 'unreachable'
  /** It answers, and refuses its work for now: out of memory, read-only, loading, busy, part of a cluster that is down. */
  | 'out_of_service'
  | 'refused_login'
  | 'no_database'
  | 'too_old'
  | 'too_new'
  | 'error';

/** Whether it is worth trying again: a wrong login or a wrong version stays as it is. */
export const passesByItself = (reason: UnavailableReason): boolean =>
  reason === 'unreachable' || reason === 'out_of_service';

/** The queue's server cannot be used. Carries the address without user and password. */
export class QueueUnavailable extends Error {
  readonly code = 'queue_unavailable';
  readonly retryable: boolean;
  readonly kind: BackendKind;
  readonly reason: UnavailableReason;
  /** `host:port/database`, or null when the address could not be read. */
  readonly address: string | null;
  readonly attempts: number;
  /** Code of the underlying error (ECONNREFUSED, 28P01, WRONGPASS), or its class. */
  readonly detail: string | null;

  constructor(facts: {
    kind: BackendKind;
    reason: UnavailableReason;
    address: string | null;
    attempts: number;
    detail: string | null;
  }) {
    const where = facts.address === null ? '' : ` at ${facts.address}`;
    const detail = facts.detail === null ? '' : ` (${facts.detail})`;
    const tries = facts.attempts > 1 ? ` after ${facts.attempts} attempts` : '';
    super(`the ${facts.kind} queue${where} is unavailable: ${facts.reason}${detail}${tries}`);
    this.name = 'QueueUnavailable';
    this.kind = facts.kind;
    this.reason = facts.reason;
    this.address = facts.address;
    this.attempts = facts.attempts;
    this.detail = facts.detail;
    this.retryable = passesByItself(facts.reason);
  }
}

/** Something went wrong outside any job (a lost connection, a refused renewal). For logs and metrics; no message text. */
export interface QueueErrorEvent {
  /** The queue, or null for a connection that several queues share. */
  queue: QueueName | null;
  source: 'queue' | 'worker' | 'connection';
  /** Our code, or class and code of the foreign error. */
  error: string;
}
