/** Looks for server programs that are already on the machine. Reads only; starts nothing but `--version`. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './process.mjs';

export const OLDEST_POSTGRES = 15;
const OLDEST_REDIS = [6, 2];

const BREW_ROOTS = ['/opt/homebrew', '/usr/local', '/home/linuxbrew/.linuxbrew'];

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const pathFolders = () => (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');

function postgresFolders() {
  const folders = [
    ...list('/usr/lib/postgresql').map((major) => `/usr/lib/postgresql/${major}/bin`),
    ...list('/usr')
      .filter((name) => name.startsWith('pgsql-'))
      .map((name) => `/usr/${name}/bin`),
    ...BREW_ROOTS.flatMap((root) =>
      list(join(root, 'opt'))
        .filter((name) => name.startsWith('postgresql'))
        .map((name) => join(root, 'opt', name, 'bin')),
    ),
    ...list('/Applications/Postgres.app/Contents/Versions').map(
      (name) => `/Applications/Postgres.app/Contents/Versions/${name}/bin`,
    ),
    ...pathFolders(),
  ];
  return [...new Set(folders)].filter(
    (folder) => isProgram(join(folder, 'postgres')) && isProgram(join(folder, 'initdb')),
  );
}

async function hasVector(bin, major) {
  const config = await run(join(bin, 'pg_config'), ['--sharedir'], { timeoutMs: 5_000 });
  const shares = config.code === 0 ? [config.stdout.trim()] : [`/usr/share/postgresql/${major}`];
  return shares.some((share) => existsSync(join(share, 'extension', 'vector.control')));
}

/**
 * @returns {Promise<Array<{bin: string, major: number, vector: boolean}>>} usable ones first: with pgvector, then the newest
 */
export async function findPostgres() {
  const found = [];
  for (const bin of postgresFolders()) {
    const { code, stdout } = await run(join(bin, 'postgres'), ['--version'], { timeoutMs: 5_000 });
    const major = Number(/(\d+)/.exec(stdout)?.[1]);
    if (code !== 0 || !(major >= OLDEST_POSTGRES)) continue;
    found.push({ bin, major, vector: await hasVector(bin, major) });
  }
  return found.sort((a, b) => Number(b.vector) - Number(a.vector) || b.major - a.major);
}

/** @returns {Promise<string | null>} the path of redis-server or valkey-server, new enough for BullMQ */
export async function findRedis() {
  const folders = [...pathFolders(), '/usr/bin', '/usr/sbin', ...BREW_ROOTS.map((root) => join(root, 'bin'))];
  for (const name of ['redis-server', 'valkey-server']) {
    for (const folder of new Set(folders)) {
      const path = join(folder, name);
      if (!isProgram(path)) continue;
      const { stdout } = await run(path, ['--version'], { timeoutMs: 5_000 });
      const [, major, minor] = /v=(\d+)\.(\d+)/.exec(stdout) ?? [];
      if (
        Number(major) > OLDEST_REDIS[0] ||
        (Number(major) === OLDEST_REDIS[0] && Number(minor) >= OLDEST_REDIS[1])
      )
        return path;
    }
  }
  return null;
}

/** @returns {string | null} the path of a Chromium or Chrome */
export function findChromium() {
  const folders = [...pathFolders(), '/usr/bin', '/usr/lib/chromium', '/snap/bin'];
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
  const places = [
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  return places.find(isProgram) ?? null;
}
