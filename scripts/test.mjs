/**
 * npm test               what a change needs, with PostgreSQL, Redis and a Chromium provided for the time of the run
 * npm run test:unit      what of that needs no server
 * … --rest               the tests that npm test leaves out
 * Further arguments go to vitest: npm test -- test/queue -t 'retries'
 */
import { build } from './build.mjs';
import { main } from './foreground.mjs';
import { ensureInstalled } from './install.mjs';
import { provideChromium } from './servers/chromium.mjs';
import { startServers } from './servers/start.mjs';
import { scopeOf } from './test-scope.mjs';
import { runVitest } from './vitest.mjs';

await main(async () => {
  const { unitOnly, rest, args } = scopeOf(process.argv.slice(2));
  const env = { ...process.env, ...(rest ? { SLOWWAVE_TEST_SCOPE: 'rest' } : {}) };
  await ensureInstalled();
  await build();
  if (unitOnly) return runVitest(['--project', 'unit', ...args], env);
  const chromium = await provideChromium();
  const servers = await startServers();
  for (const description of servers.descriptions) console.error(`servers: ${description}`);
  try {
    return await runVitest(args, { ...env, ...servers.env, TEST_CHROMIUM: chromium });
  } finally {
    await servers.stop();
  }
});
