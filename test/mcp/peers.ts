import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { takeLock } from '../../packages/workspace/src/files/folder-lock.ts';
import { ROOT } from '../fixtures/processes.ts';

const { provideNode } = (await import(new URL('../../scripts/provide-node.mjs', import.meta.url).href)) as {
  provideNode: (major: string) => Promise<string>;
};

/** The list of the public packages that Slowwave is tried against, and what the conformance suite wants in vain. */
export const PEERS = fileURLToPath(new URL('../peers/', import.meta.url));
const CACHE = path.join(ROOT, 'node_modules/.cache/slowwave');
/** Files that install at the same time wait for each other. */
const INSTALLING = { waitMs: 10 * 60_000, staleMs: 10 * 60_000 };

export interface Peers {
  /** What stands below finds the packages, and the packages and programs of the repository. */
  folder: string;
  /** The program of Node.js 22, which most of them need. */
  node: string;
}

export interface PeerRun {
  /** Also its home, where programs keep what is theirs. */
  cwd: string;
  env?: Record<string, string>;
}

export interface PeerResult {
  /** Null: its time was over. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Installing takes minutes, and the second file waits for the first. */
export const INSTALL_MS = 15 * 60_000;

/** Installs the packages of test/peers in a folder of their own, where that is not done. */
export async function providePeers(): Promise<Peers> {
  const folder = path.join(CACHE, 'peers');
  await mkdir(folder, { recursive: true });
  const release = await takeLock(path.join(CACHE, 'peers.lock'), INSTALLING);
  if (release === null) throw new Error('another process installs the packages of test/peers, for too long');
  try {
    const node = await provideNode('22');
    await cp(path.join(PEERS, 'package.json'), path.join(folder, 'package.json'));
    await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
    });
    return { folder, node };
  } finally {
    await release();
  }
}

/** Runs a command line of Node.js 22, as a shell on a user's machine does. @returns its exit code and what it printed */
export function runPeer({ node }: Peers, command: string, { cwd, env = {} }: PeerRun): Promise<PeerResult> {
  const PATH = `${path.dirname(node)}:${process.env.PATH}`;
  const options = { cwd, env: { PATH, HOME: cwd, ...env }, maxBuffer: 64e6, timeout: 5 * 60_000 };
  return promisify(execFile)('bash', ['-c', command], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}
