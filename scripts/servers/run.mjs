/**
 * node scripts/servers/run.mjs -- <command…>   runs the command with TEST_DATABASE_URL and TEST_REDIS_URL set
 * node scripts/servers/run.mjs --print         keeps the servers until Ctrl-C and prints both addresses
 */
import { main, runForeground, waitForSignal } from '../foreground.mjs';
import { startServers } from './start.mjs';

const USAGE = 'usage: node scripts/servers/run.mjs -- <command…>  |  node scripts/servers/run.mjs --print';

const args = process.argv.slice(2);
const command = args[0] === '--' ? args.slice(1) : [];
const print = args.length === 1 && (args[0] === '--print' || args[0] === '--keep');
if (command.length === 0 && !print) {
  console.error(USAGE);
  process.exit(2);
}

await main(async () => {
  const servers = await startServers();
  for (const description of servers.descriptions) console.error(`servers: ${description}`);
  try {
    if (!print) {
      return await runForeground(command[0], command.slice(1), { env: { ...process.env, ...servers.env } });
    }
    for (const [name, url] of Object.entries(servers.env)) console.log(`${name}=${url}`);
    console.error('servers: running; Ctrl-C stops them');
    await waitForSignal();
    return 0;
  } finally {
    await servers.stop();
  }
});
