/**
 * node scripts/rest.mjs    of what npm test leaves out, the part of this commit: long tests and ways to run, then mutants
 * SLOWWAVE_TEST_ALL=1      all parts
 */
import { main, runForeground, runQuiet, since } from './foreground.mjs';
import { ROOT } from './install.mjs';
import { PARTS, partOf } from './parts.mjs';

const { SLOWWAVE_TEST_ALL: all } = process.env;
const node = (args) => runForeground(process.execPath, args, { cwd: ROOT });
const MUTANTS = ['scripts/servers/run.mjs', '--', process.execPath, '--conditions=source', '--import', 'tsx'];

async function partsNow() {
  if (all === '1') {
    console.log(`rest: all ${PARTS} parts (SLOWWAVE_TEST_ALL=1)`);
    return Array.from({ length: PARTS }, (_, at) => at + 1);
  }
  const { code, output } = await runQuiet('git', ['-c', 'safe.directory=*', 'rev-parse', 'HEAD'], {
    cwd: ROOT,
  });
  if (code !== 0) throw new Error(`${output}\nrest: git does not say which commit this is.`);
  const commit = output.trim();
  const part = partOf(commit);
  console.log(`rest: part ${part} of ${PARTS}, by the hash of commit ${commit.slice(0, 8)}`);
  return [part];
}

await main(async () => {
  const start = Date.now();
  for (const part of await partsNow()) {
    const share = `${part}/${PARTS}`;
    const code =
      (await node(['scripts/test.mjs', '--rest', share])) ||
      (await node([...MUTANTS, 'test/fault/mutants-run.ts', '--shard', share]));
    if (code !== 0) throw new Error(`rest: part ${share} failed after ${since(start)}`);
    console.log(`rest: part ${share} passed, ${since(start)} so far`);
  }
  return 0;
});
