/**
 * node --conditions=source --import tsx bench/performance-page.ts FILE
 *
 * Writes the figures that "npm run bench -- --json FILE" left in FILE into the table of docs/performance.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BenchFigures, fillPage } from './performance-table.ts';
import { ROWS } from './rows/index.ts';

const PAGE = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('expected the file that "npm run bench -- --json FILE" wrote\n');
  process.exitCode = 2;
} else {
  const figures = JSON.parse(readFileSync(file, 'utf8')) as BenchFigures;
  if (figures.quick) {
    process.stderr.write('these are figures of small data (--quick): they say nothing of the goals\n');
    process.exitCode = 2;
  } else {
    writeFileSync(PAGE, fillPage(readFileSync(PAGE, 'utf8'), ROWS, figures));
  }
}
