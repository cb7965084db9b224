/** Decides where each of the two servers comes from: given, Docker, on the machine, installed. In this order, and says so. */
import { installServers, whyNoInstall } from './debian.mjs';
import { startPostgresContainer, startRedisContainer, whyNoDocker } from './docker.mjs';
import { findPostgres, findRedis, OLDEST_POSTGRES } from './found.mjs';
import { startPostgres, startRedis } from './local.mjs';
import { probePostgres, probeRedis } from './probe.mjs';

/**
 * Given by name: then it must work, and nothing else is tried.
 * @returns {Promise<{url: string, description: string} | null>}
 */
async function given(name, probe) {
  const url = process.env[name]?.trim();
  if (!url) return null;
  try {
    return { url, description: `${await probe(url)}, from ${name}` };
  } catch (cause) {
    // The address may hold a password: only its name is shown.
    throw new Error(`${name} is set, but the tests cannot use it: ${cause.message}`, { cause });
  }
}

/** Fills in what is missing with containers. A failure is a reason to go on to the next way. */
async function withDocker(servers, notes, job) {
  const reason = await whyNoDocker(job.signal);
  if (reason) {
    notes.push(`Docker: ${reason}.`);
    return;
  }
  try {
    servers.postgres ??= await startPostgresContainer(job);
    servers.redis ??= await startRedisContainer(job);
  } catch (error) {
    notes.push(`Docker: ${error.message}`);
    job.say(`Docker answers but cannot be used, trying the next way: ${error.message}`);
  }
}

async function withFound(servers, notes, job) {
  if (!servers.postgres) {
    const [best] = await findPostgres();
    if (best?.vector) servers.postgres = await startPostgres(best.bin, job);
    else if (best)
      notes.push(`On this machine: PostgreSQL ${best.major} in ${best.bin}, but without pgvector.`);
    else notes.push(`On this machine: no PostgreSQL ${OLDEST_POSTGRES} or newer.`);
  }
  if (!servers.redis) {
    const program = await findRedis();
    if (program) servers.redis = await startRedis(program, job);
    else notes.push('On this machine: no redis-server or valkey-server 6.2 or newer.');
  }
}

async function withInstalled(servers, notes, job) {
  const reason = whyNoInstall();
  if (reason) {
    notes.push(`Installing: ${reason}.`);
    return;
  }
  try {
    await installServers({ postgres: !servers.postgres, redis: !servers.redis }, job);
  } catch (error) {
    notes.push(`Installing: ${error.message}`);
    return;
  }
  await withFound(servers, notes, job);
}

function nothingWorked(servers, notes) {
  const missing = [!servers.postgres && 'PostgreSQL with pgvector', !servers.redis && 'Redis'].filter(
    Boolean,
  );
  return new Error(
    [
      `The tests need ${missing.join(' and ')}. What was tried:`,
      ...notes.map((note) => `  - ${note.replaceAll('\n', '\n    ')}`),
      'Any one of these helps:',
      '  - set TEST_DATABASE_URL and TEST_REDIS_URL to servers that the tests may use',
      '  - start a Docker engine',
      `  - install PostgreSQL ${OLDEST_POSTGRES} or newer, pgvector, and Redis or Valkey on this machine`,
      '  - on Debian or Ubuntu, run as root without SLOWWAVE_TEST_INSTALL=never, and they are installed',
      'Tests that need no server: npm run test:unit',
    ].join('\n'),
  );
}

/**
 * @param {{say: (line: string) => void, signal: AbortSignal, onStop: (stop: () => unknown) => void, postgres?: Record<string, string>}}
 *   job `postgres`: settings of a server that is started here
 * @returns {Promise<{postgres: {url: string, description: string}, redis: {url: string, description: string}}>}
 * @throws {Error} that lists the ways, when no way works
 */
export async function provideServers(job) {
  const servers = {
    postgres: await given('TEST_DATABASE_URL', probePostgres),
    redis: await given('TEST_REDIS_URL', probeRedis),
  };
  const notes = [];
  for (const way of [withDocker, withFound, withInstalled]) {
    if (servers.postgres && servers.redis) break;
    job.signal.throwIfAborted();
    await way(servers, notes, job);
  }
  if (!servers.postgres || !servers.redis) throw nothingWorked(servers, notes);
  return servers;
}
