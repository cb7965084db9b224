/**
 * npm test               everything, with PostgreSQL, Redis and a Chromium provided for the time of the run
 * npm run test:unit      what needs no server
 * Further arguments go to vitest: npm test -- test/queue -t 'retries'
 */
import { build } from './build.mjs';
import { main } from './foreground.mjs';
import { ensureInstalled } from './install.mjs';
import { provideChromium } from './servers/chromium.mjs';
import { startServers } from './servers/start.mjs';
import { runVitest } from './vitest.mjs';

const args = process.argv.slice(2).filter((arg) => arg !== '--unit');
const unitOnly = process.argv.includes('--unit');

await main(async () => {
  await ensureInstalled();
  await build();
  if (unitOnly) return runVitest(['--project', 'unit', ...args]);
  const chromium = await provideChromium();
  const servers = await startServers();
  for (const description of servers.descriptions) console.error(`servers: ${description}`);
  try {
    return await runVitest(args, { ...process.env, ...servers.env, TEST_CHROMIUM: chromium });
  } finally {
    await servers.stop();
  }
});
