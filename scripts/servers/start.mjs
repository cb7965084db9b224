import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const KEEPER = fileURLToPath(new URL('./keeper.mjs', import.meta.url));

/**
 * Starts the process that owns servers. They live until `stop`, or until this process is gone.
 * @param {string} keeperFile a program that calls `keep`
 * @param {{say: (line: string) => void, args?: string[]}} options where progress goes, and the arguments of the program
 * @returns {Promise<{servers: object, ask: (name: string, given?: unknown) => Promise<unknown>, stop: () => Promise<void>}>}
 *   what it provides, and how to ask it for what it can do
 * @throws {Error} when it cannot provide them; nothing is left running then
 */
export async function startKeeper(keeperFile, { say, args = [] }) {
  // Without the options of this process: a loader of TypeScript would only cost time.
  const options = { detached: true, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] };
  const keeper = fork(keeperFile, args, options);
  const questions = new Map();
  let asked = 0;
  const gone = new Promise((resolve) => {
    keeper.on('exit', resolve);
    keeper.on('error', resolve);
  });
  gone.then(() => {
    for (const { reject } of questions.values()) reject(new Error('The servers are gone.'));
    questions.clear();
  });
  const stop = async () => {
    if (keeper.connected) keeper.disconnect();
    await gone;
  };
  const ask = (name, given) =>
    new Promise((resolve, reject) => {
      if (!keeper.connected) return reject(new Error('The servers are gone.'));
      asked += 1;
      questions.set(asked, { resolve, reject });
      return keeper.send({ ask: asked, name, given });
    });
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
        const question = questions.get(message.answer);
        questions.delete(message.answer);
        if (message.error !== undefined) question?.reject(new Error(message.error));
        else question?.resolve(message.value);
      });
      gone.then(() => reject(new Error('The servers stopped before they were ready.')));
    });
    return { servers, ask, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const name of ['SIGINT', 'SIGTERM']) process.removeListener(name, stopOnSignal);
  }
}

/**
 * Provides PostgreSQL with pgvector and Redis. They live until `stop`, or until this process is gone.
 * @param {{say?: (line: string) => void, keeperFile?: string, postgres?: Record<string, string>}} options where progress goes, the
 *   keeper's program, and settings of a PostgreSQL that is started here: one that was given keeps its own
 * @returns {Promise<{env: {TEST_DATABASE_URL: string, TEST_REDIS_URL: string}, descriptions: string[], stop: () => Promise<void>}>}
 * @throws {Error} when there is no way to get them; nothing is left running then
 */
export async function startServers({
  say = (line) => process.stderr.write(`servers: ${line}\n`),
  keeperFile = KEEPER,
  postgres = {},
} = {}) {
  const { servers, stop } = await startKeeper(keeperFile, { say, args: [JSON.stringify({ postgres })] });
  return {
    env: { TEST_DATABASE_URL: servers.postgres.url, TEST_REDIS_URL: servers.redis.url },
    descriptions: [servers.postgres.description, servers.redis.description],
    stop,
  };
}
