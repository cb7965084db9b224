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

/**
 * The processes that tests start, bundled: the rest starts the modules as the build left them.
 * @returns {Promise<string>} a new folder
 */
async function bundleForTests() {
  // Imported late: a fresh clone has no bundler before its dependencies are installed.
  const { packForTests } = await import('./pack/pack.mjs');
  return packForTests();
}

await main(async () => {
  const { unitOnly, rest, args } = scopeOf(process.argv.slice(2));
  await ensureInstalled();
  await build();
  if (unitOnly) return runVitest(['--project', 'unit', ...args], envOf(rest));
  const chromium = await provideChromium();
  // The servers start while the other core bundles: each alone leaves one idle.
  const [started, bundled] = await Promise.allSettled([startServers(), rest ? undefined : bundleForTests()]);
  try {
    if (started.status === 'rejected') throw started.reason;
    if (bundled.status === 'rejected') throw bundled.reason;
    for (const description of started.value.descriptions) console.error(`servers: ${description}`);
    const env = { ...envOf(rest), ...started.value.env, TEST_CHROMIUM: chromium };
    return await runVitest(args, rest ? env : { ...env, SLOWWAVE_TEST_BUILT: bundled.value });
  } finally {
    if (bundled.value) rmSync(bundled.value, { recursive: true, force: true });
    await started.value?.stop();
  }
});
