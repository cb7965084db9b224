/**
 * Installs missing servers on Debian and Ubuntu as root, through apt. Says what it installs. No service of the installed
 * packages is left running or enabled: the tests start servers of their own.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { findPostgres, findRedis, OLDEST_POSTGRES } from './found.mjs';
import { buildVector } from './pgvector.mjs';
import { lastLines, run } from './process.mjs';

const LOCK_WAIT_SECONDS = 180;
const INSTALL_MS = 15 * 60_000;
const POLICY = '/usr/sbin/policy-rc.d';

const aptEnv = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };

/** Never interrupted: stopping dpkg half-way would leave the machine broken. */
const apt = (...args) =>
  run(
    'apt-get',
    ['-q', '-o', `DPkg::Lock::Timeout=${LOCK_WAIT_SECONDS}`, '-o', 'Acquire::Retries=3', ...args],
    {
      env: aptEnv,
      timeoutMs: INSTALL_MS,
    },
  );

export function osRelease() {
  try {
    const lines = readFileSync('/etc/os-release', 'utf8').split('\n');
    return Object.fromEntries(
      lines
        .filter((line) => line.includes('='))
        .map((line) => [line.split('=')[0], line.replace(/^[^=]*=|"/g, '')]),
    );
  } catch {
    return {};
  }
}

/** @returns {string | null} why nothing can be installed here, or null when it can */
export function whyNoInstall() {
  const { SLOWWAVE_TEST_INSTALL: permission } = process.env;
  if (permission === 'never') return 'SLOWWAVE_TEST_INSTALL=never forbids it';
  const { ID = '', ID_LIKE = '' } = osRelease();
  if (![ID, ...ID_LIKE.split(' ')].some((name) => name === 'debian' || name === 'ubuntu'))
    return 'this is not Debian or Ubuntu';
  if (process.getuid?.() !== 0) return 'not running as root';
  return null;
}

/** Keeps maintainer scripts from starting services, unless the machine already has such a rule. */
async function withoutServices(work) {
  const ours = !existsSync(POLICY);
  if (ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await work();
  } finally {
    if (ours) rmSync(POLICY, { force: true });
  }
}

async function install(packages, say) {
  say(`installing with apt-get: ${packages.join(' ')} (forbid it with SLOWWAVE_TEST_INSTALL=never)`);
  const done = await apt('install', '-y', '--no-install-recommends', ...packages);
  if (done.code !== 0) throw new Error(`apt-get install failed:\n${lastLines(done)}`);
}

async function hasCandidate(name) {
  const { stdout } = await run('apt-cache', ['policy', name], { env: aptEnv });
  const candidate = /Candidate: (\S+)/.exec(stdout)?.[1];
  return candidate !== undefined && candidate !== '(none)';
}

async function packagedMajors() {
  const { stdout } = await run('apt-cache', ['search', '--names-only', '^postgresql-[0-9]+$'], {
    env: aptEnv,
  });
  return [...stdout.matchAll(/^postgresql-(\d+) /gm)].map((match) => Number(match[1]));
}

/** Prefers a major version whose pgvector is packaged, then one that is installed already, then the newest. */
async function choosePostgres() {
  const installed = (await findPostgres()).filter(({ bin }) => bin.startsWith('/usr/lib/postgresql/'));
  const majors = new Set([...installed.map(({ major }) => major), ...(await packagedMajors())]);
  const choices = [];
  for (const major of [...majors].filter((value) => value >= OLDEST_POSTGRES)) {
    choices.push({
      major,
      packaged: await hasCandidate(`postgresql-${major}-pgvector`),
      installed: installed.some((found) => found.major === major),
    });
  }
  const [best] = choices.sort(
    (a, b) =>
      Number(b.packaged) - Number(a.packaged) ||
      Number(b.installed) - Number(a.installed) ||
      b.major - a.major,
  );
  if (!best) throw new Error(`apt offers no PostgreSQL ${OLDEST_POSTGRES} or newer.`);
  return best;
}

async function installPostgres(say, signal) {
  const { major, packaged } = await choosePostgres();
  if (packaged) return install([`postgresql-${major}`, `postgresql-${major}-pgvector`], say);
  await install(
    [`postgresql-${major}`, `postgresql-server-dev-${major}`, 'gcc', 'libc6-dev', 'make', 'dpkg-dev'],
    say,
  );
  return buildVector({ major, release: osRelease(), say, signal });
}

/** Servers that this run did install must not come up at the next boot either. */
async function disableServices(names) {
  if (!existsSync('/run/systemd/system') || names.length === 0) return;
  await run('systemctl', ['disable', '--now', '--quiet', ...names]);
}

/**
 * Installs what is missing of the two.
 * @param {{postgres: boolean, redis: boolean}} missing
 */
export async function installServers(missing, { say, signal }) {
  say('refreshing the package lists (apt-get update)');
  const updated = await apt('update');
  if (updated.code !== 0) say(`apt-get update had problems, going on:\n${lastLines(updated, 3)}`);
  const hadPostgres = (await findPostgres()).length > 0;
  await withoutServices(async () => {
    if (missing.redis) {
      await install(['redis-server'], say);
      await disableServices(['redis-server.service']);
    }
    if (missing.postgres) {
      await installPostgres(say, signal);
      if (!hadPostgres) await disableServices(['postgresql.service']);
    }
  });
  if (missing.redis && !(await findRedis()))
    throw new Error('The installed redis-server is too old or not found.');
}

/** Installs Debian's chromium, which needs no service. Ubuntu's package of that name is a snap, which a container cannot run. */
export async function installChromium({ say }) {
  say('refreshing the package lists (apt-get update)');
  const updated = await apt('update');
  if (updated.code !== 0) say(`apt-get update had problems, going on:\n${lastLines(updated, 3)}`);
  await install(['chromium'], say);
}
