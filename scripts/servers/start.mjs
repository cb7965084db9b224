import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const KEEPER = fileURLToPath(new URL('./keeper.mjs', import.meta.url));

/**
 * Provides PostgreSQL with pgvector and Redis. They live until `stop`, or until this process is gone.
 * @param {{say?: (line: string) => void, keeperFile?: string}} options where progress goes, and the keeper's program
 * @returns {Promise<{env: {TEST_DATABASE_URL: string, TEST_REDIS_URL: string}, descriptions: string[], stop: () => Promise<void>}>}
 * @throws {Error} when there is no way to get them; nothing is left running then
 */
export async function startServers({
  say = (line) => process.stderr.write(`servers: ${line}\n`),
  keeperFile = KEEPER,
} = {}) {
  const keeper = fork(keeperFile, { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = new Promise((resolve) => {
    keeper.on('exit', resolve);
    keeper.on('error', resolve);
  });
  const stop = async () => {
    if (keeper.connected) keeper.disconnect();
    await gone;
  };
  const stopOnSignal = (name) => {
    stop().then(() => process.kill(process.pid, name));
  };
  try {
    const servers = await new Promise((resolve, reject) => {
      for (const name of ['SIGINT', 'SIGTERM']) process.once(name, stopOnSignal);
      keeper.on('message', (message) => {
        if (message.say) say(message.say);
        if (message.failed) reject(new Error(message.failed));
        if (message.servers) resolve(message.servers);
      });
      gone.then(() => reject(new Error('The servers stopped before they were ready.')));
    });
    return {
      env: { TEST_DATABASE_URL: servers.postgres.url, TEST_REDIS_URL: servers.redis.url },
      descriptions: [servers.postgres.description, servers.redis.description],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const name of ['SIGINT', 'SIGTERM']) process.removeListener(name, stopOnSignal);
  }
}
