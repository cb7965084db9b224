import type { PreviewFusion, PreviewMerge, PreviewSource, PreviewView, ReviewView } from '@slowwave/db';
import { printable } from './explain-lines.ts';
import { when } from './print.ts';
import type { Terminal } from './terminal.ts';

type Style = Pick<Terminal, 'bold' | 'dim'>;

/** − gives way, = stays, + is new. */
const SIGNS: Record<PreviewSource['fate'], string> = { superseded: '-', confirmed: '=', kept: '=' };

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** Further lines of a text stand under its first one. */
const shown = (text: string): string => printable(text).replaceAll('\n', '\n      ');

function sourceLines(sources: readonly Pick<PreviewSource, 'content' | 'fate'>[], style: Style): string[] {
  return sources.map(({ content, fate }) => `       ${style.dim(SIGNS[fate])} ${shown(content)}`);
}

const newLine = (content: string, style: Style): string => `       ${style.bold('+')} ${shown(content)}`;

/** What a run would do, as a difference for people. */
export function previewLines(view: PreviewView, report: unknown, style: Style): string[] {
  const { runId, tier, status, errorCode, fusions, merges } = view;
  const lines = [
    `preview ${runId} of ${tier}: ${status}${errorCode ? ` (${errorCode})` : ''}; nothing was changed`,
    ...stepLines(report),
  ];
  for (const [i, merge] of merges.entries()) lines.push(...mergeLines(merge, i + 1, style));
  for (const [i, fusion] of fusions.entries()) {
    lines.push(...fusionLines(fusion, merges.length + i + 1, style));
  }
  if (merges.length + fusions.length === 0) lines.push('  no fusion');
  return lines;
}

/** The steps that had something to say about why they did not come to an end. */
function stepLines(report: unknown): string[] {
  interface Entry {
    step: string;
    status: string;
    reason?: string;
    code?: string;
    counts?: { stopped?: unknown };
  }
  const steps = (report as { steps?: Entry[] } | null)?.steps ?? [];
  return steps.flatMap(({ step, status, reason, code, counts }) => {
    if (status === 'failed') return [`  ${step}: failed (${code})`];
    if (status === 'skipped' && reason !== 'preview') return [`  ${step}: skipped (${reason})`];
    return typeof counts?.stopped === 'string' ? [`  ${step}: ended early (${counts.stopped})`] : [];
  });
}

function mergeLines({ verdict, status, sources }: PreviewMerge, number: number, style: Style): string[] {
  if (verdict === 'over') return [`  ${number}. duplicates: ${status} since`];
  if (verdict === 'stale') return [`  ${number}. duplicates: a memory has changed since`];
  return [`  ${number}. ${style.bold('duplicates')}`, ...sourceLines(sources, style)];
}

function fusionLines(fusion: PreviewFusion, number: number, style: Style): string[] {
  const { verdict, status, errorCode, derived, covered, sources, conflicts } = fusion;
  const lines: string[] = [];
  if (derived) {
    lines.push(`  ${number}. ${style.bold(`${covered.length} → 1`)} ${style.dim(`[${derived.category}]`)}`);
  } else if (verdict === 'over') {
    lines.push(`  ${number}. ${status} since`);
  } else if (verdict === 'stale') {
    lines.push(`  ${number}. a source has changed since`);
  } else {
    const why = verdict === 'unanswered' ? (errorCode ?? 'no answer yet') : verdict;
    lines.push(`  ${number}. no fusion (${why}): ${plural(sources.length, 'source')} would stay as they are`);
  }
  lines.push(...sourceLines(sources, style));
  if (derived) lines.push(newLine(derived.content, style));
  for (const { a, b, kind, slot } of conflicts) {
    const places = [a, b].map((id) => sources.findIndex((source) => source.id === id) + 1).join(' and ');
    lines.push(`       ${kind}: sources ${places}${slot ? ` (${printable(slot)})` : ''}`);
  }
  return lines;
}

/** What waits for a person, each with what approving does. */
export function reviewLines(reviews: readonly ReviewView[], style: Style): string[] {
  if (reviews.length === 0) return ['nothing waits for a decision'];
  const lines = reviews.flatMap(({ key, user, kind, tier, proposedAt, expiresAt, derived, sources }) => {
    const gone = sources.filter(({ fate }) => fate === 'superseded').length;
    const what = kind === 'merge' ? 'duplicates' : `${gone} → 1`;
    return [
      `${style.bold(what)} of ${printable(user)}, ${tier}, proposed ${when(proposedAt)}, waits until ${when(expiresAt)}`,
      `  ${key}`,
      ...sourceLines(sources, style),
      ...(derived ? [newLine(derived.content, style)] : []),
      ...(sources.some(({ changed }) => changed)
        ? ['       a source has changed since: approving will find it stale']
        : []),
    ];
  });
  return [...lines, 'slowwave approve <key> --user <user>, or slowwave reject <key> --user <user>'];
}
