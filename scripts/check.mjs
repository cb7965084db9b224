/** npm run check: format and lint, types, the compiled kernel, build. Stops at the first part that fails. */
import { join } from 'node:path';
import { build } from './build.mjs';
import { main, runForeground, since } from './foreground.mjs';
import { ensureInstalled, ROOT } from './install.mjs';

const tool = (...path) => join(ROOT, 'node_modules', ...path);
const node = (args) => runForeground(process.execPath, args, { cwd: ROOT });

const parts = [
  [
    'format and lint',
    () => node([tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.']),
  ],
  ['types', () => node([tool('typescript', 'bin', 'tsc'), '-p', 'tsconfig.json'])],
  ['compiled kernel', () => node([join(ROOT, 'scripts', 'kernel.mjs'), '--check'])],
  ['build', () => build(() => {}).then(() => 0)],
];

await main(async () => {
  await ensureInstalled();
  const start = Date.now();
  for (const [name, work] of parts) {
    const partStart = Date.now();
    const code = await work();
    if (code !== 0) throw new Error(`check: ${name} failed after ${since(partStart)}`);
    console.error(`check: ${name} passed in ${since(partStart)}`);
  }
  console.error(`check: everything passed in ${since(start)}`);
  return 0;
});
