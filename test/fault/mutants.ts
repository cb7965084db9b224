import { BATCH_MUTANTS } from './mutants/batches.ts';
import { COMMIT_MUTANTS } from './mutants/commit.ts';
import { HOLD_MUTANTS } from './mutants/hold.ts';
import { JUDGE_MUTANTS } from './mutants/judge.ts';
import { LEDGER_MUTANTS } from './mutants/ledger.ts';
import { MCP_MUTANTS } from './mutants/mcp.ts';
import { MERGE_MUTANTS } from './mutants/merge.ts';
import { PACING_MUTANTS } from './mutants/pacing.ts';
import { QUEUE_MUTANTS } from './mutants/queue.ts';
import { RECOVERY_MUTANTS } from './mutants/recovery.ts';
import { RUN_MUTANTS } from './mutants/runs.ts';
import { SPENDING_MUTANTS } from './mutants/spending.ts';
import type { Mutant } from './mutants/table.ts';

export type { Killer, Mutant } from './mutants/table.ts';

/** Every guard that the promise rests on, taken away one at a time, and the test that notices. */
export const MUTANTS: readonly Mutant[] = [
  ...COMMIT_MUTANTS,
  ...MCP_MUTANTS,
  ...MERGE_MUTANTS,
  ...LEDGER_MUTANTS,
  ...HOLD_MUTANTS,
  ...RUN_MUTANTS,
  ...QUEUE_MUTANTS,
  ...JUDGE_MUTANTS,
  ...RECOVERY_MUTANTS,
  ...PACING_MUTANTS,
  ...BATCH_MUTANTS,
  ...SPENDING_MUTANTS,
];
