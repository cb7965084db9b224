import type { RunReport } from './run-records.ts';

/** What a run came to, over all its steps. */
export interface RunTotals {
  /** Fusions by how they ended. */
  fused: number;
  proposed: number;
  failed: number;
  /** Memories that something else stands for since. */
  superseded: number;
  /** Of language models. */
  calls: number;
  inputTokens: number;
  outputTokens: number;
}

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

/** Adds up what the steps of a run count, as far as they do; of a run without a report nothing. */
export function totalsOf(report: RunReport | null): RunTotals {
  const totals: RunTotals = {
    fused: 0,
    proposed: 0,
    failed: 0,
    superseded: 0,
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
  };
  const { steps } = fieldsOf(report);
  for (const step of Array.isArray(steps) ? (steps as unknown[]) : []) {
    const counts = fieldsOf(fieldsOf(step).counts);
    const clusters = fieldsOf(counts.clusters);
    const usage = fieldsOf(counts.usage);
    totals.fused += numberOf(clusters.committed);
    totals.proposed += numberOf(clusters.proposed);
    totals.failed += numberOf(clusters.failed);
    // Decay tells how many there are in all, not how many it made.
    if (fieldsOf(step).step !== 'decay') totals.superseded += numberOf(counts.superseded);
    totals.calls += numberOf(usage.calls);
    totals.inputTokens += numberOf(usage.inputTokens);
    totals.outputTokens += numberOf(usage.outputTokens);
  }
  return totals;
}
