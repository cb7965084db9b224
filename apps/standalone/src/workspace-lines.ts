import type { WorkspaceRun } from '@slowwave/db';
import type { WorkspaceView } from '@slowwave/producer';
import type {
  MemoryFileInfo,
  MemorySearchResult,
  ProjectionPreview,
  ProjectionResult,
} from '@slowwave/workspace';
import { printable } from './explain-lines.ts';
import { countsLine, when } from './print.ts';

/** Rows as columns of one width each; the last column is as long as it is. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes for people, of at most one digit behind the point. */
export function sizeOf(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number(value.toFixed(1))} ${UNITS[unit]}`;
}

const placeOf = ({ rootDir }: WorkspaceView): string =>
  rootDir === null ? 'documents in the database' : printable(rootDir);

export function workspaceLines(workspaces: readonly WorkspaceView[]): string[] {
  const rows = workspaces.map((workspace) => [
    printable(workspace.workspace),
    workspace.backend,
    workspace.reachable ? '' : 'unreachable',
    placeOf(workspace),
  ]);
  return columns([['NAME', 'BACKEND', '', 'PLACE'], ...rows]);
}

const onOff = (is: boolean): string => (is ? 'on' : 'off');

export function settingLines(view: WorkspaceView): string[] {
  const hours = Number((view.insightsMinIntervalMs / 3_600_000).toFixed(2));
  const insights = view.insightsEnabled
    ? `on, "${view.insightsSchedule}" in ${view.insightsTimezone ?? "the user's time zone"}, at most every ${hours} h, after ${view.insightsMinGrowth} more characters`
    : 'off';
  return columns([
    ['backend', view.backend],
    ['place', `${placeOf(view)}${view.reachable ? '' : ' (cannot be reached from here)'}`],
    ['memory', onOff(view.memoryEnabled)],
    ['import of notes', onOff(view.importEnabled)],
    ['projection', onOff(view.projectionEnabled)],
    ['quota', sizeOf(view.quotaBytes)],
    ['insights', insights],
    ['insights due', view.insightsDueAt === null ? 'not planned' : when(view.insightsDueAt)],
    ['insights last', when(view.insightsLastRunAt)],
    ['since', when(view.createdAt)],
  ]).map((line) => `  ${line}`);
}

export function fileLines(files: readonly MemoryFileInfo[]): string[] {
  return columns(
    files.map(({ path, label, size, updatedAt }) => [path, sizeOf(size), when(Date.parse(updatedAt)), label]),
  );
}

export function hitLines({ path, lineStart, lineEnd, snippet }: MemorySearchResult): string[] {
  const lines = snippet.split('\n').map((line) => `    ${printable(line)}`);
  return [`${path}:${lineStart}-${lineEnd}`, ...lines];
}

export function runLines(runs: readonly WorkspaceRun[]): string[] {
  return columns(
    runs.map(({ id, work, status, reason, startedAt, report, paths }) => [
      id,
      work,
      status,
      when(startedAt),
      [reason, countsLine(report), paths.map(printable).join(', ')].filter(Boolean).join('; '),
    ]),
  );
}

/** What would be written, as the lines that go and those that come. */
export function previewLines({ documents, report }: ProjectionPreview): string[] {
  const changed = documents.flatMap(({ path, diff }) =>
    diff === null
      ? []
      : [
          `${path}, from line ${diff.line}:`,
          ...diff.removed.map((line) => `  - ${printable(line)}`),
          ...diff.added.map((line) => `  + ${printable(line)}`),
        ],
  );
  return [
    ...(changed.length > 0 ? changed : ['everything stands there already']),
    `  ${countsLine({ ...report.memory, ...report.promotion })}`,
  ].filter((line) => line.trim() !== '');
}

/** What a projection did, and how it is taken back. */
export function projectionLine({ id, report }: ProjectionResult, user: string): string {
  const paths = [...new Set(report.writes.map(({ path }) => path))];
  if (paths.length === 0) return 'everything stood there already';
  return `${paths.join(' and ')} brought up to date; to take it back: slowwave workspace undo ${id} --user ${user}`;
}
