/** A Redis that a test may crash, stop and start as it likes. Its only argument: {persistent: false | 'everysec' | 'always'}, as JSON. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { keep } from './keep.mjs';
import { privateFolder, runRedis } from './local.mjs';
import { steadyPort } from './process.mjs';
import { redisProgram } from './programs.mjs';
import { killTree } from './tree.mjs';

const { persistent } = JSON.parse(process.argv[2] ?? '{}');

await keep(async (job) => {
  const { onStop, onAsk, signal } = job;
  const program = await redisProgram(job);
  const folder = privateFolder('redis');
  onStop(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const lines = persistent ? ['appendonly yes', `appendfsync ${persistent}`] : [];
  const place = { folder, password: randomBytes(16).toString('hex'), lines };
  const port = await steadyPort();
  let server;
  let stop = async () => {};
  onStop(() => stop());

  async function start() {
    const onStart = (newStop, newServer) => {
      stop = newStop;
      server = newServer;
    };
    if (!server?.isRunning()) return runRedis(program, place, port, { signal, onStart });
    throw new Error('It runs already.');
  }

  onAsk({
    start,
    stop: () => stop(),
    isRunning: () => server.isRunning(),
    async crash() {
      if (!server.isRunning()) throw new Error('It does not run.');
      await killTree(server.pid);
      await server.stop(['SIGKILL']);
    },
  });
  return { ...(await start()), port, folder };
});
