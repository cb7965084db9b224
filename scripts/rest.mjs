/**
 * npm run test:rest               what npm test leaves out: long tests, other ways to run, then mutants; over an hour on two cores
 * npm run test:rest test/queue    of it what stands below these folders or files: tests, and mutants by their test or the code they change
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { main, runForeground, since } from './foreground.mjs';
import { ROOT } from './install.mjs';

const node = (args) => runForeground(process.execPath, args, { cwd: ROOT });
const MUTANTS = ['scripts/servers/run.mjs', '--', process.execPath, '--conditions=source', '--import', 'tsx'];

await main(async () => {
  const start = Date.now();
  const places = process.argv.slice(2);
  for (const place of places) {
    if (!existsSync(join(ROOT, place))) throw new Error(`npm run test:rest: there is no ${place}`);
  }
  // A folder may have mutants and no tests that npm test leaves out.
  const tests = await node(['scripts/test.mjs', '--rest', '--passWithNoTests', ...places]);
  const below = places.flatMap((place) => ['--below', place]);
  const mutants = await node([...MUTANTS, 'test/fault/mutants-run.ts', ...below]);
  console.log(
    `rest: tests ${tests === 0 ? 'passed' : 'failed'}, mutants ${mutants === 0 ? 'killed' : 'failed'}, ${since(start)}`,
  );
  return tests || mutants;
});
