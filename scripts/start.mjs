/** npm start: from a fresh clone to a running service with the example memories. Arguments go to the demo. */
import { join } from 'node:path';
import { build } from './build.mjs';
import { main, runForeground } from './foreground.mjs';
import { ensureInstalled, ROOT } from './install.mjs';

await main(async () => {
  await ensureInstalled();
  await build();
  const entry = join(ROOT, 'apps', 'standalone', 'dist', 'main.js');
  return runForeground(process.execPath, [entry, 'demo', ...process.argv.slice(2)]);
});
