/** Starts PostgreSQL and Redis from programs on this machine: loopback, free ports, private folders that go away at the end. */
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { probePostgres, probeRedis } from './probe.mjs';
import { freePort, lastLines, run, startDaemon, untilItWorks } from './process.mjs';

const PORT_TRIES = 3;
const START_MS = 30_000;

const isRoot = () => process.getuid?.() === 0;

const SHARED_MEMORY = '/dev/shm';
/** More than twice of what the databases of all tests take at a time. */
const ROOM_BYTES = 4 * 1024 ** 3;

/** Tests make and drop hundreds of databases, each of hundreds of files: in memory that takes a quarter less of the processor's time. */
function hasRoomInMemory() {
  if (!existsSync(SHARED_MEMORY) || freemem() < ROOM_BYTES) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= ROOM_BYTES;
}

/** Under root the folder is handed to another user, who must be able to reach it: a private TMPDIR will not do. */
export function privateFolder(name) {
  const onDisk = isRoot() && existsSync('/tmp') ? '/tmp' : tmpdir();
  return mkdtempSync(join(hasRoomInMemory() ? SHARED_MEMORY : onDisk, `slowwave-${name}-`));
}

/** PostgreSQL refuses to run as root. */
export async function postgresUser() {
  if (!isRoot()) return {};
  for (const name of ['postgres', 'nobody']) {
    const uid = await run('id', ['-u', name]);
    const gid = await run('id', ['-g', name]);
    if (uid.code === 0 && gid.code === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as.',
  );
}

/** A free port can be lost between looking and listening: then another is tried. */
async function onFreePort(start) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (attempt === PORT_TRIES) throw error;
    }
  }
}

async function initialise({ bin, data, identity }, passwordFile, options, signal) {
  // The same collation everywhere: by code point, with case mapping for all scripts where the platform has it.
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'C';
  const made = await run(
    join(bin, 'initdb'),
    [
      `--pgdata=${data}`,
      '--username=slowwave',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      `--locale=${locale}`,
      '--no-sync',
      ...options,
    ],
    { ...identity, timeoutMs: 120_000, signal },
  );
  if (made.code !== 0) throw new Error(`initdb failed:\n${lastLines(made)}`);
}

const POSTGRES_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  // The data is thrown away: durability would only cost time.
  fsync: 'off',
  full_page_writes: 'off',
  // Containers often have a tiny /dev/shm.
  dynamic_shared_memory_type: 'mmap',
  shared_buffers: '128MB',
  timezone: 'UTC',
};

/**
 * Makes an empty database cluster in a folder that the server's user can reach.
 * @param {string} bin folder with `initdb` and `postgres`
 * @param {string} folder an existing one, for this cluster alone
 * @param {string[]} options more options of initdb
 * @returns {Promise<object>} what `runPostgres` needs
 */
export async function makeCluster(bin, folder, { signal, options = [] }) {
  const user = await postgresUser();
  const passwordFile = join(folder, 'password');
  const password = randomBytes(16).toString('hex');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user.uid !== undefined) {
    chownSync(folder, user.uid, user.gid);
    chownSync(passwordFile, user.uid, user.gid);
  }
  // A clean environment: PGDATA, PGPORT and the like of the developer must not reach this server.
  const identity = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  const cluster = { bin, data: join(folder, 'data'), identity, password };
  await initialise(cluster, passwordFile, options, signal);
  return cluster;
}

/**
 * Starts a server on a cluster, which may have been stopped in any way before, and waits until it answers.
 * @param {object} cluster from `makeCluster`
 * @param {{signal: AbortSignal, onStart: (stop: () => Promise<void>, server: object) => void, settings?: Record<string, string>}} job
 *   `onStart` hears of the process before it answers
 */
export async function runPostgres({ bin, data, identity, password }, port, { signal, onStart, settings }) {
  const all = Object.entries({ ...POSTGRES_SETTINGS, ...settings });
  const server = startDaemon(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    identity,
  );
  // SIGINT: disconnect everybody and stop; SIGQUIT: without a checkpoint.
  const stop = () => server.stop(['SIGINT', 'SIGQUIT', 'SIGKILL']);
  onStart(stop, server);
  const url = `postgres://slowwave:${password}@127.0.0.1:${port}/postgres`;
  try {
    const description = await untilItWorks(() => probePostgres(url), {
      limitMs: START_MS,
      isHopeless: () => !server.isRunning() || signal.aborted,
    });
    return { url, description: `${description}, from ${bin}` };
  } catch (cause) {
    await stop();
    throw new Error(`PostgreSQL from ${bin} did not start: ${cause.message}\n${server.output()}`, { cause });
  }
}

/**
 * @param {string} bin folder with `initdb` and `postgres`
 * @returns {Promise<{url: string, description: string}>}
 */
export async function startPostgres(bin, { onStop, signal, postgres: settings }) {
  const folder = privateFolder('postgres');
  onStop(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const cluster = await makeCluster(bin, folder, { signal });
  return onFreePort((port) => runPostgres(cluster, port, { signal, onStart: onStop, settings }));
}

/**
 * Starts a server in a folder, which may hold what an earlier one has left there, and waits until it answers.
 * @param {string} program path of redis-server or valkey-server
 * @param {{folder: string, password: string, lines?: string[]}} place `lines` of the configuration win over those set here
 * @param {object} job as for `runPostgres`
 */
export async function runRedis(program, { folder, password, lines = [] }, port, { signal, onStart }) {
  // A file, not arguments: the password stays out of the process list.
  const config = join(folder, 'redis.conf');
  const all = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    'save ""',
    'appendonly no',
    'maxmemory-policy noeviction',
    'daemonize no',
    `dir "${folder}"`,
    ...lines,
  ];
  writeFileSync(config, `${all.join('\n')}\n`, { mode: 0o600 });
  const server = startDaemon(program, [config], { cwd: folder });
  const stop = () => server.stop(['SIGTERM', 'SIGKILL']);
  onStart(stop, server);
  const url = `redis://:${password}@127.0.0.1:${port}`;
  try {
    const description = await untilItWorks(() => probeRedis(url), {
      limitMs: START_MS,
      isHopeless: () => !server.isRunning() || signal.aborted,
    });
    return { url, description: `${description}, from ${program}` };
  } catch (cause) {
    await stop();
    throw new Error(`${program} did not start: ${cause.message}\n${server.output()}`, { cause });
  }
}

/**
 * @param {string} program path of redis-server or valkey-server
 * @returns {Promise<{url: string, description: string}>}
 */
export async function startRedis(program, { onStop, signal }) {
  const folder = privateFolder('redis');
  onStop(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const password = randomBytes(16).toString('hex');
  return onFreePort((port) => runRedis(program, { folder, password }, port, { signal, onStart: onStop }));
}
