/**
 * npm run bench:day [-- --users N --day YYYY-MM-DD … --json FILE]
 *
 * Reckons a day of wake-ups of millions of users over all time zones, and what it asks of workers, PostgreSQL, the queue and models.
 */
import { writeFileSync } from 'node:fs';
import { dayUsage, readDayOptions } from './options.ts';
import { pageOf } from './page.ts';
import { reckonDay } from './reckon.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const parsed = readDayOptions(process.argv.slice(2));
if (parsed.kind === 'refused') {
  for (const error of parsed.errors) process.stderr.write(`${error}\n`);
  process.exitCode = 2;
} else if (parsed.kind === 'help') {
  print(dayUsage());
} else {
  const { options } = parsed;
  const figures = reckonDay(options);
  const json = JSON.stringify({ options, ...figures }, null, 2);
  if (options.json !== null && options.json !== '-') writeFileSync(options.json, `${json}\n`);
  for (const line of options.json === '-' ? [json] : pageOf(options, figures)) print(line);
}
