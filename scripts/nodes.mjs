/**
 * node scripts/nodes.mjs 22 24    the built service, and the tarball made of it, on other versions of Node.js
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { build } from './build.mjs';
import { main, runForeground } from './foreground.mjs';
import { ensureInstalled, ROOT } from './install.mjs';
import { provideNode } from './provide-node.mjs';

/** The service as its user starts it, from what the build made: import, consolidation, a kill, a start after a crash. */
const BUILT = [
  '--project',
  'servers',
  'test/e2e/command-line',
  'test/integration/embedded-restart',
  '-t',
  'a folder with an owner|an embedded service',
];
/** The tarball of `npm run pack`, installed in an empty folder. `npm test` leaves it out. */
const PACKED = ['--project', 'servers', 'test/e2e/pack'];

/** @returns {Promise<number>} the exit code: of the first version that fails, or 0 */
async function testOn(majors, tarball) {
  const vitest = join(ROOT, 'scripts', 'run-vitest.mjs');
  let worst = 0;
  for (const major of majors) {
    const node = await provideNode(major);
    const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
    const run = (args, more = {}) => runForeground(node, args, { cwd: ROOT, env: { ...env, ...more } });
    await run(['-p', '"Node.js " + process.version + ": the built service"']);
    worst ||= await run([vitest, ...BUILT]);
    worst ||= await run([vitest, ...PACKED], {
      SLOWWAVE_TEST_SCOPE: 'rest',
      SLOWWAVE_TEST_TARBALL: tarball,
    });
  }
  return worst;
}

await main(async () => {
  const majors = process.argv.slice(2);
  if (majors.length === 0 || majors.some((major) => !/^\d+$/.test(major))) {
    throw new Error('usage: node scripts/nodes.mjs MAJOR…, such as 22 24');
  }
  await ensureInstalled();
  await build();
  // Imported late: a fresh clone has no bundler before its dependencies are installed.
  const { pack } = await import('./pack/pack.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'slowwave-tarball-'));
  try {
    // It is the same for every version.
    return await testOn(majors, (await pack(folder)).file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
