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
  /** US dollars; null when a price was not known, or nobody counted. */
  costDollars: number | null;
}

const NANOS_PER_DOLLAR = 1e9;

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
    costDollars: null,
  };
  const { steps, spend } = fieldsOf(report);
  const { costNanos } = fieldsOf(spend);
  if (typeof costNanos === 'number' && Number.isFinite(costNanos))
    totals.costDollars = costNanos / NANOS_PER_DOLLAR;
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
