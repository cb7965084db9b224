import type { Database } from '@slowwave/db';
import type { Queues } from '@slowwave/queue';
import type { SQL } from 'drizzle-orm';
import type { Tally } from '../types.ts';
import type { Column } from './catalogue.ts';

/** What the invariants look at. */
export interface InvariantsDeps {
  /** As it is now: after a restart of the embedded database, another one. */
  database: Database;
  /** Null where the queue cannot be asked; then what stands in it is not looked at. */
  queues: Pick<Queues, 'queues' | 'failed' | 'counts'> | null;
  /** Where the queue's keys are, when they are in Redis. */
  redis: { url: string; prefix: string } | null;
  /** The batch: every user of these tenants, and nobody else's rows are judged. */
  tenants: readonly string[];
}

/** A statement of the owner, past all row policies, and conditions that narrow it to the batch. */
export interface Look extends InvariantsDeps {
  rows<Row extends object>(query: SQL): Promise<Row[]>;
  /** The columns of the database. */
  columns(): Promise<Column[]>;
  /** `alias.tenant` is one of the batch. */
  mine(alias: string): SQL;
}

/** Memories and relations of a batch before anything was done to it: JSON as the database wrote it, by table. */
export interface Snapshot {
  /** Rows `{ tenant, user_id, id, … }` without `words`. */
  memories: string;
  relations: string;
  conflicts: string;
  /** How many users there were. */
  users: number;
}

/** One call of the fake model that was told apart by what was asked. */
export interface AskedQuestion {
  /** The same for the same question: a hash of the request, never its text. */
  question: string;
  /** When it ended, epoch ms. */
  at: number;
  /** `answered`: the whole answer was handed over. */
  end: 'answered' | 'cut' | 'refused';
}

/** What is known of a batch besides the counts of the conductor. */
export interface Extra {
  /** Taken before the storm; without it nothing is compared with how it began. */
  snapshot?: Snapshot | undefined;
  /** Users who end their workers or never end: they alone may be in quarantine. */
  poisoned?: readonly { tenant: string; user: string }[];
  /** Errors thrown on purpose, each of which may have used an attempt; default 0. */
  thrown?: number;
  /** How far ahead a process's clock was at most, ms: what it wrote may seem so much younger. */
  clockShiftMs?: number;
  /** Output of the processes, as a whole or in pieces. */
  logs?: readonly string[];
  /** Calls that one process has under way at once at most; default 1. Each fault may cost so many. */
  callsAtOnce?: number;
  /** Question by question, where the fake model tells them apart. */
  asked?: readonly AskedQuestion[];
  /** Kills, cuts and pauses, epoch ms: between two whole answers to one question lies one of these. */
  faultsAt?: readonly number[];
}

export interface Given extends Extra {
  tally: Tally;
}

/** Looks for what breaks one promise. @returns what is broken, as ids, counts and codes; nothing when it holds */
export type Invariant = (look: Look, given: Given) => Promise<string[]>;
