import { randomBytes } from 'node:crypto';
import { rm, stat, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import type { Config } from '@slowwave/config';
import { type Check, type Finding, fail, ok, skipped, warn } from './check.ts';

/** As the package demands it. */
const NODE_LEAST = [20, 20] as const;
/** The oldest release line that still gets security fixes, and those to use. */
const NODE_MAINTAINED = 22;
const NODE_GOOD = 'install Node.js 22 or 24';
const GIB = 1024 ** 3;
const TOKEN_GOOD = 24;

export function nodeCheck(version: string): Check {
  return {
    name: 'node',
    async look() {
      const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
      const [leastMajor, leastMinor] = NODE_LEAST;
      const isGood = major > leastMajor || (major === leastMajor && minor >= leastMinor);
      if (!isGood) return fail(`Node.js ${version} is too old`, NODE_GOOD);
      return major < NODE_MAINTAINED
        ? warn(`Node.js ${version} works, but gets no security fixes any more`, NODE_GOOD)
        : ok(`Node.js ${version}`);
    },
  };
}

/** The folder itself, or the nearest one above that is there. */
async function existing(folder: string): Promise<string> {
  for (let place = path.resolve(folder); ; place = path.dirname(place)) {
    const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
      throw error;
    });
    if (found || place === path.dirname(place)) return place;
  }
}

/** Tries to write, since what a system forbids cannot be read off modes alone. @returns the code of why not, or null */
async function writeTrouble(folder: string): Promise<string | null> {
  const probe = path.join(folder, `.slowwave-doctor-${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(probe, '', { flag: 'wx', mode: 0o600 });
    await rm(probe, { force: true });
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

async function dataFolder(dataDir: string): Promise<Finding> {
  const place = await existing(dataDir);
  const found = await stat(place);
  const action = 'give it to the user that runs Slowwave, or choose another folder with SLOWWAVE_DATA_DIR';
  if (!found.isDirectory()) return fail(`the data folder ${dataDir} cannot be: ${place} is a file`, action);
  const trouble = await writeTrouble(place);
  return trouble === null
    ? ok(`${path.resolve(dataDir)} can be written`)
    : fail(`the data folder ${dataDir} cannot be written (${trouble})`, action);
}

export function foldersCheck(config: Config): Check {
  return {
    name: 'folders',
    async look() {
      if (config.database.kind === 'embedded') return dataFolder(config.database.dataDir);
      for (const root of config.workspaceRoots) {
        const found = await stat(root).catch(() => null);
        const action = 'mount or make the folder, or take it out of SLOWWAVE_WORKSPACE_ROOTS';
        if (!found?.isDirectory())
          return fail(`${root} of SLOWWAVE_WORKSPACE_ROOTS is no folder here`, action);
        const trouble = await writeTrouble(root);
        if (trouble !== null)
          return fail(`${root} of SLOWWAVE_WORKSPACE_ROOTS cannot be written (${trouble})`, action);
      }
      const count = config.workspaceRoots.length;
      return ok(count === 0 ? 'none is needed' : `${count} of workspaces can be written`);
    },
  };
}

export type FreeBytes = (folder: string) => Promise<number>;

export const freeBytesOf: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

export function diskCheck(config: Config, freeBytes: FreeBytes): Check {
  return {
    name: 'disk',
    async look() {
      if (config.database.kind === 'server') return ok('the data is on the database server');
      const free = await freeBytes(await existing(config.database.dataDir));
      const said = `${(free / GIB).toFixed(1)} GiB free for ${config.database.dataDir}`;
      const action = 'make room there, or move the folder and say so with SLOWWAVE_DATA_DIR';
      if (free < GIB / 10) return fail(said, action);
      return free < GIB ? warn(said, action) : ok(said);
    },
  };
}

export function tokenCheck(config: Config): Check {
  return {
    name: 'token',
    async look() {
      const { operatorToken } = config.http;
      const action = 'set SLOWWAVE_OPERATOR_TOKEN to what "openssl rand -base64 24" prints';
      if (operatorToken === null) {
        return config.database.kind === 'embedded'
          ? ok('none is set: each start makes one and prints it')
          : warn('no operator token is set; a producer does not start without one', action);
      }
      const { length } = operatorToken;
      if (new Set(operatorToken).size < 8) return warn('the operator token can be guessed', action);
      return length < TOKEN_GOOD
        ? warn(`the operator token has ${length} characters only`, action)
        : ok(`the operator token has ${length} characters`);
    },
  };
}

/** Whether the address can be taken; the code of why not. */
function portTrouble(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** What answers where the service would listen: our own, something else, or nothing that speaks HTTP. */
async function whoAnswers(host: string, port: number): Promise<'slowwave' | 'somebody'> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}/health/live`;
  const signal = AbortSignal.timeout(2_000);
  const answer = await fetch(address, { signal, redirect: 'error' }).catch(() => null);
  const body = (await answer?.json().catch(() => null)) as { status?: unknown } | null;
  return answer?.ok && body?.status === 'live' ? 'slowwave' : 'somebody';
}

export function portCheck(config: Config): Check {
  const { host, port } = config.http;
  return {
    name: 'port',
    async look() {
      if (port === 0) return ok('any free one is taken');
      const trouble = await portTrouble(host, port);
      if (trouble === null) return ok(`${host}:${port} is free`);
      if (trouble === 'EADDRINUSE') {
        return (await whoAnswers(host, port)) === 'slowwave'
          ? ok(`Slowwave answers at ${host}:${port}`)
          : fail(
              `${host}:${port} is taken by another program`,
              'choose another with SLOWWAVE_HTTP_PORT (0 takes a free one)',
            );
      }
      return fail(
        `${host}:${port} cannot be listened on (${trouble})`,
        'choose another with SLOWWAVE_HTTP_HOST or SLOWWAVE_HTTP_PORT',
      );
    },
  };
}

/** Checks that need what the configuration does not say. */
export function notLookedAt(name: string, setting: string): Check {
  return { name, look: async () => skipped(`not looked at: ${setting} is wrong`) };
}
