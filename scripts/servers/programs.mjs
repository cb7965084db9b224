/** Server programs of this machine, for tests that stop and start their servers at will: installed when they may be. */
import { installServers, whyNoInstall } from './debian.mjs';
import { findPostgres, findRedis, OLDEST_POSTGRES } from './found.mjs';

async function present(find, missing, what, job) {
  const found = await find();
  if (found) return found;
  const reason = whyNoInstall();
  if (reason === null) {
    await installServers(missing, job);
    const installed = await find();
    if (installed) return installed;
  }
  throw new Error(
    `These tests crash and start ${what} of their own, so they need its programs on this machine: an address or a container will not do. ` +
      `None were found, and none can be installed${reason === null ? '' : `: ${reason}`}.`,
  );
}

async function findUsable() {
  const [best] = await findPostgres();
  return best?.vector ? best.bin : null;
}

/** @returns {Promise<string>} the folder with `initdb` and `postgres`, where pgvector is installed too */
export function postgresPrograms(job) {
  const what = `a PostgreSQL ${OLDEST_POSTGRES} or newer with pgvector`;
  return present(findUsable, { postgres: true, redis: false }, what, job);
}

/** @returns {Promise<string>} the path of redis-server or valkey-server */
export function redisProgram(job) {
  return present(findRedis, { postgres: false, redis: true }, 'a Redis or Valkey 6.2 or newer', job);
}
