import type { WorkspaceFiles } from '../files/port.ts';
import type { AskedAnswer, AskInsights } from './ask.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { JudgedExtraction } from './judge.ts';
import type { PruneLimits, PruneRefusal } from './prune.ts';
import type { RunSource } from './sources.ts';
import type { PruneOutcome } from './types.ts';

/** How a run ended. Codes and counts only; what was found stands in the files. */
export interface InsightRun {
  runId: string;
  success: boolean;
  /** Why not; null on success. */
  code: string | null;
  /** It may succeed another time without anybody's help. */
  transient: boolean;
  /** An answer was paid for now or before. */
  asked: boolean;
  reused: boolean;
  counts: {
    offered: number;
    added: number;
    duplicates: number;
    malformed: number;
    tooLong: number;
    surplus: number;
  };
  pruning: PruneOutcome & { refusal: PruneRefusal | null };
  /** Answers that could not be used, by reason. */
  rejected: Record<string, number>;
  /** Characters of the working memory as it is left, without what we wrote into it. */
  size: number;
  /** Whether the report could be written. */
  audited: boolean;
}

/** What one run works with. */
export interface Run {
  files: WorkspaceFiles;
  ask: AskInsights;
  audit: AuditTrail;
  limits: PruneLimits;
  prune: boolean;
  by: string;
  runId: string;
  working: RunSource;
  insights: RunSource;
  at: number;
}

type Accepted = Extract<JudgedExtraction, { ok: true }>;
/** An answer that can be used. */
export interface Judged {
  asked: AskedAnswer;
  verdict: Accepted;
}
