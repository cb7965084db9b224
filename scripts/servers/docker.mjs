/** PostgreSQL and Redis in containers on loopback, removed at the end. */
import { randomBytes } from 'node:crypto';
import { probePostgres, probeRedis } from './probe.mjs';
import { lastLines, run, untilItWorks } from './process.mjs';

const IMAGES = { postgres: 'pgvector/pgvector:pg16', redis: 'redis:7' };
const ANSWER_MS = 5_000;
const PULL_MS = 10 * 60_000;
const START_MS = 60_000;

/** @returns {Promise<string | null>} why Docker cannot be used, or null when an engine answers */
export async function whyNoDocker(signal) {
  const { code, stdout } = await run('docker', ['info', '--format', '{{.ServerVersion}}'], {
    timeoutMs: ANSWER_MS,
    signal,
  });
  if (code === 127) return 'the docker command was not found';
  return code === 0 && stdout.trim() !== '' ? null : 'no Docker engine answers';
}

async function docker(args, options) {
  const done = await run('docker', args, options);
  if (done.code !== 0) throw new Error(`docker ${args[0]} failed:\n${lastLines(done)}`);
  return done.stdout.trim();
}

/**
 * @param {number} inside the port in the container
 * @returns {Promise<number>} the port on loopback
 */
async function startContainer(image, inside, { options, command, env }, { say, signal, onStop }) {
  const known = await run('docker', ['image', 'inspect', image], { signal });
  if (known.code !== 0) {
    say(`pulling ${image}`);
    await docker(['pull', '--quiet', image], { timeoutMs: PULL_MS, signal });
  }
  // The name is chosen here, so that the container can be removed even when the start is interrupted.
  const name = `slowwave-test-${randomBytes(6).toString('hex')}`;
  onStop(() => run('docker', ['rm', '--force', '--volumes', name], { timeoutMs: 30_000 }));
  const args = ['run', '--detach', '--rm', '--name', name, '--publish', `127.0.0.1::${inside}`, ...options];
  await docker([...args, image, ...command], { env: { ...process.env, ...env }, signal });
  const address = await docker(['port', name, String(inside)], { signal });
  return Number(address.split('\n')[0].split(':').at(-1));
}

export async function startPostgresContainer(job) {
  const password = randomBytes(16).toString('hex');
  const given = Object.entries(job.postgres ?? {}).map(([name, value]) => `${name}=${value}`);
  const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'timezone=UTC', ...given];
  const port = await startContainer(
    IMAGES.postgres,
    5432,
    {
      options: [
        '--shm-size=256m',
        '-e',
        'POSTGRES_PASSWORD',
        '-e',
        'POSTGRES_USER=slowwave',
        '-e',
        'POSTGRES_DB=postgres',
        '-e',
        'POSTGRES_INITDB_ARGS=--no-sync --encoding=UTF8 --locale=C.UTF-8',
      ],
      command: settings.flatMap((setting) => ['-c', setting]),
      // By name only on the command line: the value stays out of the process list.
      env: { POSTGRES_PASSWORD: password },
    },
    job,
  );
  const url = `postgres://slowwave:${password}@127.0.0.1:${port}/postgres`;
  const description = await untilItWorks(() => probePostgres(url), {
    limitMs: START_MS,
    isHopeless: () => job.signal.aborted,
  });
  return { url, description: `${description}, in a container of ${IMAGES.postgres}` };
}

export async function startRedisContainer(job) {
  const password = randomBytes(16).toString('hex');
  const command = [
    '--requirepass',
    password,
    '--save',
    '',
    '--appendonly',
    'no',
    '--maxmemory-policy',
    'noeviction',
  ];
  const port = await startContainer(IMAGES.redis, 6379, { options: [], command, env: {} }, job);
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const description = await untilItWorks(() => probeRedis(url), {
    limitMs: START_MS,
    isHopeless: () => job.signal.aborted,
  });
  return { url, description: `${description}, in a container of ${IMAGES.redis}` };
}
