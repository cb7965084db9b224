import type { Candidate, Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';

/** What binds every statement of one job: whose memories, when, under which hold on the user, for which step. */
export interface FusionScope {
  tenant: string;
  user: string;
  /** The instant of the job, epoch ms. */
  at: number;
  lease: { holder: string; fence: number };
  runId: string | null;
  tier: Tier;
  promptVersion: string;
  /** See judgeHashOf; absent: none. */
  judgeSecret?: string | undefined;
  model: string;
  embeddingModel: string;
  /** What becomes of a fusion that passed its checks: applied, proposed to a person, or nothing but remembered as an answer. */
  mode: 'auto' | 'review' | 'preview';
  /** Where the user lives, an IANA name: on which day something was said depends on it. */
  timezone: string;
  /** How long a proposal waits for a person, ms; REVIEW_MS when absent. */
  reviewMs?: number;
}

/** A source as it was when somebody planned with it. */
export type PlannedMember = Pick<Candidate, 'id' | 'contentHash' | 'version'>;

/** Two duplicates as they were when somebody compared them. */
export interface PlannedMerge {
  /** Stands for both from now on, and is confirmed. */
  keep: PlannedMember;
  /** Superseded by the other. */
  drop: PlannedMember;
}

/** What every write of a fusion goes by, whoever asked for it. */
export type WriteScope = Pick<FusionScope, 'tenant' | 'user' | 'at' | 'lease' | 'runId'>;

/** A proposal that nobody decided about in this time is taken back, ms. */
export const REVIEW_MS = 14 * 86_400_000;

/** The defences of a commit, each of which tests switch off alone. Always on in service. */
export interface CommitGuards {
  /** The fusions row is locked and looked at first. */
  ledger: boolean;
  /** The lease and its fence are checked. */
  lease: boolean;
  /** Sources must be present, latest and of the planned version and content. */
  sources: boolean;
  /** The key of a statement follows from its sources, and its derived id from that: an existing one was written before. */
  contentKey: boolean;
  /** As many rows superseded as gated, or nothing. */
  rowCount: boolean;
  /** A proposal past its time can no longer be approved. */
  expiry: boolean;
  /** A pair whose merge was undone, rejected or waits for a person is not merged by another way. */
  sourceSet: boolean;
}

export const ALL_GUARDS: CommitGuards = {
  ledger: true,
  lease: true,
  sources: true,
  contentKey: true,
  rowCount: true,
  expiry: true,
  sourceSet: true,
};

export interface CommitOptions {
  guards?: Partial<CommitGuards>;
  failpoints?: Failpoints;
}

/** Between any two statements by which a fusion or a merge gets from its claim to its end, and before and after each commit. */
export const COMMIT_FAILPOINTS = [
  // The claim: the ledger row, the claims that lapsed, the claims of its own.
  'after-opened',
  'after-lapsed',
  'after-members',
  // An answer was judged unusable, or none came.
  'after-failed',
  'before-transaction',
  'after-ledger',
  'after-sources',
  'after-derived',
  'after-supersede',
  'after-marked',
  // For a user who is asked first, in the place of what is derived and superseded.
  'after-proposal',
  // The last one inside: whatever disagrees is reported as well.
  'after-applied',
  'after-commit',
] as const;

export type FailpointName = (typeof COMMIT_FAILPOINTS)[number];

/** Called between the statements of a commit; inert in service, where tests stop, delay or throw. */
export type Failpoints = (name: FailpointName) => Promise<void> | void;

/** Where nobody watches. */
export const NO_FAILPOINTS: Failpoints = () => undefined;

/** `tenant = … and user_id = …`, of the scope. */
export function owned(scope: { tenant: string; user: string }, alias?: string): SQL {
  const prefix = sql.raw(alias ? `${alias}.` : '');
  return sql`${prefix}tenant = ${scope.tenant} and ${prefix}user_id = ${scope.user}`;
}

/** True while this job still holds its user. Locks the lease row against being taken over until the transaction ends. */
export function leaseHeld(scope: Pick<FusionScope, 'tenant' | 'user' | 'lease'>): SQL {
  return sql`exists (
    select 1 from (
      select 1 from slowwave.leases
      where ${owned(scope)}
        and fence = ${scope.lease.fence} /* guard: lease-fence */
        and holder = ${scope.lease.holder} /* guard: lease-holder */
        and expires_at > clock_timestamp() /* guard: lease-expiry */
      for share /* guard: lease-lock */
    ) as held)`;
}
