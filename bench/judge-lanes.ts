/** Labelled rows as one statement over all its sources each, through floor, repeats and recorded votes of a judge. */
import { createHmac } from 'node:crypto';
import type { GateVerdict, SaidText, Vote } from '@slowwave/fusion';
import { buildJudgeRequest, canariesFor, checkGate, judgeItems, readVotes } from '@slowwave/fusion';
import { type Recording, recordedBodyOf } from '@slowwave/models';
import type { LabelledRow, RowLabel } from './gate-score.ts';

/** The secret of an installation, fixed here so that requests stay the same. */
const hash = (text: string): string => createHmac('sha256', 'bench').update(text).digest('hex');
/** Most words of a statement. */
const WORDS_MAX = 60;
const SHARE_MAX = 0.85;

export interface RowLane {
  row: LabelledRow;
  verdict: GateVerdict;
  /** Too long by itself or for its sources: a column of its own, since the label speaks of meaning. */
  isTooLong: boolean;
}

/** What becomes of a row. A vote that has no recorded answer is left open in the recording. */
export function laneOfRow(row: LabelledRow, recording: Recording): RowLane {
  const sources = row.sources.map(
    ({ content, documentDate }): SaidText => ({
      content,
      day: new Date(documentDate).toISOString().slice(0, 10),
    }),
  );
  const votes: Vote[] = [];
  let verdict = checkGate(sources, row.summary, votes, { isExamined: true });
  const items = verdict.lane === 'open' ? itemsOf(sources, row.summary) : [];
  while (verdict.lane === 'open') {
    const vote = votes.length === 0 ? 1 : 2;
    const request = buildJudgeRequest(items, { vote });
    const text = recording.answerTo(recordedBodyOf(request));
    if (text === null) break;
    const stored = { text, stopReason: 'end_turn', inputTokens: 0, outputTokens: 0, model: 'judge' };
    votes.push(readVotes(items, 1, stored)[0]!);
    verdict = checkGate(sources, row.summary, votes, { isExamined: true });
  }
  const length = row.sources.reduce((sum, { content }) => sum + content.length, 0);
  const isTooLong = row.summary.length > SHARE_MAX * length || row.summary.split(/\s+/).length > WORDS_MAX;
  return { row, verdict, isTooLong };
}

function itemsOf(sources: readonly SaidText[], text: string) {
  const places = sources.map((_, place) => place);
  return judgeItems(sources, [{ text, sources: places }], canariesFor(sources, hash), hash);
}

const COLUMNS = ['rows', 'floor', 'refused', 'open', 'repeat', 'accepted', 'too long'] as const;
type Counts = Record<(typeof COLUMNS)[number], number>;

function countsOf(lanes: readonly RowLane[]): Counts {
  const counts: Counts = {
    rows: lanes.length,
    floor: 0,
    refused: 0,
    open: 0,
    repeat: 0,
    accepted: 0,
    'too long': 0,
  };
  for (const { verdict, isTooLong } of lanes) {
    if (verdict.lane === 'judge') counts[verdict.accepted ? 'accepted' : 'refused'] += 1;
    else counts[verdict.lane] += 1;
    if (verdict.accepted && isTooLong) counts['too long'] += 1;
  }
  return counts;
}

/** The table lane by lane, and which rows came out otherwise than their label. Ids are printed, texts never. */
export function laneLines(lanes: readonly RowLane[], isListed: boolean): string[] {
  const lines = [
    ['', ...COLUMNS].map((name, at) => (at === 0 ? 'rows of'.padEnd(24) : name.padStart(10))).join(''),
  ];
  const add = (name: string, of: readonly RowLane[]) => {
    const counts = countsOf(of);
    lines.push(name.padEnd(24) + COLUMNS.map((column) => String(counts[column]).padStart(10)).join(''));
  };
  for (const label of ['good', 'unsafe'] as const) {
    const own = lanes.filter(({ row }) => row.label === label);
    const languages = [...new Set(own.map(({ row }) => row.lang))];
    for (const lang of languages)
      add(
        `${label}, ${lang}`,
        own.filter(({ row }) => row.lang === lang),
      );
    add(`${label}, total`, own);
    lines.push('');
  }
  const reasons = new Map<string, number>();
  for (const { verdict, row } of lanes) {
    if (verdict.lane !== 'judge' || verdict.accepted) continue;
    const key = `${row.label} ${verdict.reason}`;
    reasons.set(key, (reasons.get(key) ?? 0) + 1);
  }
  lines.push(
    `the judge refused for: ${[...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ') || 'nothing'}`,
  );
  if (isListed) for (const lane of lanes) if (isWrong(lane)) lines.push(wrongLine(lane));
  return lines;
}

const isWrong = ({ row, verdict }: RowLane): boolean =>
  verdict.lane !== 'open' && verdict.accepted !== (row.label === ('good' satisfies RowLabel));

function wrongLine({ row, verdict }: RowLane): string {
  const reason = verdict.lane === 'judge' && !verdict.accepted ? `, ${verdict.reason}` : '';
  return `wrong: ${row.id} (${row.label}, ${row.kind}): ${verdict.lane}${reason}`;
}
