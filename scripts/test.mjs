/**
 * npm test               what a change needs, with PostgreSQL, Redis and a Chromium provided for the time of the run
 * npm run test:unit      what of that needs no server
 * … --rest               the tests that npm test leaves out
 * Further arguments go to vitest: npm test -- test/queue -t 'retries'
 */
import { rmSync } from 'node:fs';
import { build } from './build.mjs';
import { main } from './foreground.mjs';
import { ensureInstalled } from './install.mjs';
import { provideChromium } from './servers/chromium.mjs';
import { startServers } from './servers/start.mjs';
import { scopeOf } from './test-scope.mjs';
import { runVitest } from './vitest.mjs';

const envOf = (rest) => ({ ...process.env, ...(rest ? { SLOWWAVE_TEST_SCOPE: 'rest' } : {}) });

/** The processes that tests start, bundled; the rest starts the modules as the build left them. */
async function withBundle(run) {
  // Imported late: a fresh clone has no bundler before its dependencies are installed.
  const { packForTests } = await import('./pack/pack.mjs');
  const folder = await packForTests();
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main(async () => {
  const { unitOnly, rest, args } = scopeOf(process.argv.slice(2));
  await ensureInstalled();
  await build();
  if (unitOnly) return runVitest(['--project', 'unit', ...args], envOf(rest));
  const chromium = await provideChromium();
  const servers = await startServers();
  for (const description of servers.descriptions) console.error(`servers: ${description}`);
  const env = { ...envOf(rest), ...servers.env, TEST_CHROMIUM: chromium };
  try {
    return await (rest
      ? runVitest(args, env)
      : withBundle((folder) => runVitest(args, { ...env, SLOWWAVE_TEST_BUILT: folder })));
  } finally {
    await servers.stop();
  }
});
