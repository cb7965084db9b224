/**
 * node scripts/nodes.mjs 22 24    the built service, and the tarball made of it, on other versions of Node.js
 *
 * npm has the programs of Node.js as packages; they are installed in a folder of their own, beside what is installed here.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { build } from './build.mjs';
import { main, runForeground, runQuiet } from './foreground.mjs';
import { ensureInstalled, npm, ROOT } from './install.mjs';

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

const SYSTEMS = { win32: 'win' };

/** @returns {Promise<string>} where the program is. @throws {Error} with npm's own output when it cannot be installed */
async function provideNode(major) {
  const name = `node-${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`;
  const folder = join(ROOT, 'node_modules', '.cache', 'slowwave', `node-${major}`);
  mkdirSync(folder, { recursive: true });
  const options = ['--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts'];
  const [command, args] = npm(['install', ...options, '--no-audit', '--no-fund', `${name}@${major}`]);
  const { code, output } = await runQuiet(command, args, { cwd: folder });
  if (code !== 0) throw new Error(`${output}\nNode.js ${major} could not be installed (exit code ${code}).`);
  const bin = process.platform === 'win32' ? 'node.exe' : 'node';
  return join(folder, 'node_modules', name, 'bin', bin);
}

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
