/** The fault suite by hand: `npm run test:fault -- --help`. */
import { writeFile } from 'node:fs/promises';
import { HELP, OptionsError, readOptions } from './storm/options.ts';
import { tableOf } from './storm/report.ts';
import { runStorms } from './storm/run.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    say(HELP);
    return 0;
  }
  const report = await runStorms(options, say);
  for (const line of tableOf(report)) say(line);
  if (options.report !== null) await writeFile(options.report, `${JSON.stringify(report, null, 2)}\n`);
  return report.totals.violations === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (error instanceof OptionsError) {
      process.stderr.write(`${error.message}\nSee --help.\n`);
      process.exit(2);
    }
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
