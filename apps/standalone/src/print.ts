import type { BandCounts, FusionView, ImportSummary } from '@slowwave/db';
import type { RunAnswer } from './client.ts';
import type { Terminal } from './terminal.ts';

const PROBLEMS_SHOWN = 20;

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** What an import did; every bad line with its number and reason, as far as they were kept. */
export function printImport(
  terminal: Terminal,
  summary: ImportSummary,
  options: { allProblems: boolean },
): void {
  const users = summary.users.length;
  if (summary.restored) terminal.line(`restored: ${countsLine(summary.restored)}`);
  terminal.line(
    `${plural(summary.inserted, 'memory', 'memories')} new, ${summary.unchanged} unchanged, ${plural(summary.relations, 'relation')}, ${plural(users, 'user')} (${summary.usersCreated} new), ${summary.problemCount} refused`,
  );
  const shown = options.allProblems ? summary.problems : summary.problems.slice(0, PROBLEMS_SHOWN);
  for (const { line, code, message } of shown) terminal.error(`  line ${line}: ${message} [${code}]`);
  const hidden = summary.problemCount - shown.length;
  if (hidden > 0) terminal.error(`  … and ${hidden} more`);
  const leftOut = countsLine(summary.leftOut ?? {});
  if (leftOut !== '') terminal.line(`left out, having no place in a merge: ${leftOut}`);
  if (summary.unresolvedRelations > 0) {
    terminal.error(
      `  ${plural(summary.unresolvedRelations, 'relation')} left out: the other memory is neither in the file nor stored`,
    );
  }
}

/** Fusions as people count them: a closed one stands for its statements, and alone only where it has none. */
export function outcomesOf(fusions: readonly FusionView[]): { made: FusionView[]; nothing: FusionView[] } {
  const answered = new Set(fusions.map(({ request }) => request));
  return {
    made: fusions.filter(({ status }) => status !== 'closed'),
    nothing: fusions.filter(({ key, status }) => status === 'closed' && !answered.has(key)),
  };
}

/** In one line what was asked about and came to nothing, with the reasons; null where there is nothing of the sort. */
export function nothingJoined(nothing: readonly FusionView[]): string | null {
  if (nothing.length === 0) return null;
  const reasons = new Map<string, number>();
  for (const { errorCode } of nothing) {
    const reason = errorCode === null ? 'no statement proposed' : `no statement accepted, ${errorCode}`;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const told = [...reasons].map(([reason, count]) => `${reason}: ${count}`).join('; ');
  return `${plural(nothing.length, 'cluster')} left as ${nothing.length === 1 ? 'it is' : 'they are'} (${told})`;
}

/** All outcomes of some fusions, numbered. @param from the number before the first one */
export function printFusions(terminal: Terminal, fusions: readonly FusionView[], from = 0): void {
  const { made, nothing } = outcomesOf(fusions);
  for (const [i, fusion] of made.entries()) printFusion(terminal, fusion, from + i + 1);
  const line = nothingJoined(nothing);
  if (line !== null) terminal.line(terminal.dim(`  ${line}`));
}

export function printFusion(terminal: Terminal, fusion: FusionView, number: number): void {
  const { derived, sources } = fusion;
  if (fusion.status !== 'applied' || !derived) {
    terminal.line(
      `  ${number}. ${fusion.status}${fusion.errorCode ? ` (${fusion.errorCode})` : ''}: ${plural(sources.length, 'source')} stay as they are`,
    );
    return;
  }
  const superseded = sources.filter((source) => source.superseded).length;
  const again = fusion.request === null ? 'duplicates' : 'said again';
  const what = fusion.kind === 'merge' ? again : `${superseded} → 1`;
  terminal.line(`  ${number}. ${terminal.bold(what)} ${terminal.dim(`[${derived.category}]`)}`);
  for (const source of sources) {
    terminal.line(`       ${terminal.dim(source.superseded ? '-' : '=')} ${source.content}`);
  }
  // Of a merge one of the sources stays, and stands there already.
  if (fusion.kind === 'merge') return;
  terminal.line(`       ${terminal.bold('⇒')} ${derived.content.replaceAll('\n', '\n         ')}`);
}

/** An instant for people: UTC, to the second. */
export const when = (ms: number | null): string =>
  ms === null || !Number.isFinite(ms) ? 'never' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

export function printBands(label: string, bands: BandCounts): string {
  return `${label} ${bands.latest} latest (${bands.active} active, ${bands.dormant} dormant, ${bands.archived} faded), ${bands.superseded} superseded, ${bands.derived} derived`;
}

interface StepLine {
  step: string;
  status: string;
  reason?: string;
  code?: string;
  counts?: Record<string, unknown>;
}

/** What a step counted, in one line: numbers that are not zero, and why it ended early. Ids and durations are left to --json. */
export function countsLine(counts: Record<string, unknown>): string {
  const words = (value: Record<string, unknown>): string[] =>
    Object.entries(value).flatMap(([name, count]) => {
      if (/(At|Ms)$/.test(name)) return [];
      if (typeof count === 'number')
        return count === 0 ? [] : [`${name} ${Math.round(count * 1_000) / 1_000}`];
      if (typeof count === 'string') return [`${name} ${count}`];
      if (typeof count !== 'object' || count === null || Array.isArray(count)) return [];
      return words(count as Record<string, unknown>);
    });
  return [...new Set(words(counts))].join(', ');
}

/** The end of a run: each step, then its fusions. */
export function printRun(terminal: Terminal, run: RunAnswer): void {
  const steps = (run.report as { steps?: StepLine[] } | null)?.steps ?? [];
  terminal.line(`run ${run.id}: ${run.status}${run.errorCode ? ` (${run.errorCode})` : ''}`);
  for (const { step, status, reason, code, counts } of steps) {
    const why = reason ?? code;
    const counted = counts ? countsLine(counts) : '';
    terminal.line(
      `  ${step}: ${status}${why ? ` (${why})` : ''}${counted ? terminal.dim(`  ${counted}`) : ''}`,
    );
  }
  const fusions = run.fusions ?? [];
  printFusions(terminal, fusions);
  if (fusions.length === 0) terminal.line('  no fusion');
}
