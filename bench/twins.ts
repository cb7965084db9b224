/**
 * npm run bench:twins [FILE] [-- --list --json]
 *
 * Pairs of memories that look alike: how many twins, which differ in a fact, would be merged, and how many true duplicates are
 * found without a judge. --list names the wrong ones, --json prints the figures for programs. Exits with 1 when a twin is merged, and with 2
 * when the file cannot be read.
 */
import { readFileSync } from 'node:fs';
import { isDuplicate } from '@slowwave/fusion';
import { reportTwins } from './twins-report.ts';

const { code, out, errors } = reportTwins({
  args: process.argv.slice(2),
  read: (file) => readFileSync(file, 'utf8'),
  judge: isDuplicate,
});
for (const line of out) process.stdout.write(`${line}\n`);
for (const line of errors) process.stderr.write(`${line}\n`);
process.exitCode = code;
