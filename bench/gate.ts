/**
 * npm run bench:gate [FILE …] [-- --list --json]
 * npm run bench:gate [FILE …] -- --answers FILE [--requests FILE] [--list]
 *
 * Labelled statements over source clusters. Without answers: what floor and repetition make of them where no judge is. Without a file, every
 * bench/data/gate-*.jsonl. --list names the wrong rows, --json prints the figures for programs. Exits with 1 when an unsafe row did harm, and
 * with 2 when a file cannot be read.
 *
 * With --answers each row is one statement over all its sources, judged by floor, repeats and the recorded votes of a judge, and the table
 * tells lane by lane what became of the rows. Requests that have no answer yet are written to the file of --requests.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createRecording } from '@slowwave/models';
import { judgeRow } from './gate-judge.ts';
import { readLabelled, reportGate } from './gate-report.ts';
import { laneLines, laneOfRow } from './judge-lanes.ts';
import { readAnswers, writeOpenRequests } from './recorded/answers.ts';

const FOLDER = 'bench/data';

/** None when the folder is missing: the report says so. */
function ownSets(): string[] {
  try {
    const names = readdirSync(FOLDER).filter((name) => /^gate-.+\.jsonl$/.test(name));
    return names.sort().map((name) => `${FOLDER}/${name}`);
  } catch {
    return [];
  }
}

const read = (file: string): string => readFileSync(file, 'utf8');

/** Lane by lane, when answers are named; null otherwise. @returns the exit code: 1 when an unsafe row was accepted */
async function reportLanes(args: readonly string[]): Promise<number | null> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    strict: false,
    options: {
      answers: { type: 'string', multiple: true },
      requests: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  const { answers, requests, list } = values;
  if (answers === undefined) return null;
  const { rows, errors } = readLabelled(positionals.length > 0 ? positionals : ownSets(), read);
  if (errors.length > 0) {
    for (const line of errors) process.stderr.write(`${line}\n`);
    return 2;
  }
  const recording = createRecording(await readAnswers(answers.map(String)));
  const lanes = rows.map((row) => laneOfRow(row, recording));
  for (const line of laneLines(lanes, list === true)) process.stdout.write(`${line}\n`);
  if (typeof requests === 'string') await writeOpenRequests(requests, recording.open());
  return lanes.some(({ row, verdict }) => row.label === 'unsafe' && verdict.accepted) ? 1 : 0;
}

const args = process.argv.slice(2);
const laneCode = await reportLanes(args);
if (laneCode === null) {
  const { code, out, errors } = reportGate({ args, files: ownSets(), read, judge: judgeRow });
  for (const line of out) process.stdout.write(`${line}\n`);
  for (const line of errors) process.stderr.write(`${line}\n`);
  process.exitCode = code;
} else process.exitCode = laneCode;
