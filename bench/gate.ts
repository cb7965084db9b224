/**
 * npm run bench:gate [FILE …] [-- --list --json]
 *
 * Labelled summaries of source clusters: how many good ones pass the gate whole, and whether an unsafe one supersedes a source that
 * it does not hold. Without a file, every bench/data/gate-*.jsonl. --list names the wrong rows, --json prints the figures for
 * programs. Exits with 1 when an unsafe row did harm or fewer than 95 % of the good ones passed, and with 2 when a file cannot be
 * read.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { judgeRow } from './gate-judge.ts';
import { reportGate } from './gate-report.ts';

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

const { code, out, errors } = reportGate({
  args: process.argv.slice(2),
  files: ownSets(),
  read: (file) => readFileSync(file, 'utf8'),
  judge: judgeRow,
});
for (const line of out) process.stdout.write(`${line}\n`);
for (const line of errors) process.stderr.write(`${line}\n`);
process.exitCode = code;
