import { describe, expect, it } from 'vitest';
import { readJson } from './repository-files.ts';

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  optional?: boolean;
  extraneous?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}
type Lock = Record<string, Locked>;

const lock = readJson<{ packages: Lock }>('package-lock.json').packages;
const allowScripts = readJson<{ allowScripts: Record<string, boolean> }>('package.json').allowScripts;

const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Addresses belong to the machine that wrote the lock file: another one would ask the wrong server. */
const addresses = (packages: Lock): string[] =>
  Object.entries(packages)
    .filter(([, entry]) => entry.resolved !== undefined && !(entry.link && /^[\w./-]+$/.test(entry.resolved)))
    .map(([path]) => path);

const undecidedScripts = (packages: Lock, decided: Record<string, boolean>): string[] =>
  Object.entries(packages)
    .filter(([path, entry]) => entry.hasInstallScript && !(nameOf(path) in decided))
    .map(([path]) => path);

/** As Node looks a package up: beside the one that asks, then further and further out. */
function isLocked(packages: Lock, from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.replace(/(?:^|\/)(?:node_modules\/(?:@[^/]+\/)?)?[^/]+$/, '')) {
    if (packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
}

const missing = (packages: Lock): string[] =>
  Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter((name) => !isLocked(packages, path, name))
      .map((name) => `${path || 'the root'} needs ${name}`),
  );

/** Only a package for a platform that nobody could read it on may lack its checksum. */
const unchecked = (packages: Lock): string[] =>
  Object.entries(packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.link)
    .filter(([, entry]) => !entry.version || (!entry.integrity && !(entry.optional && entry.os)))
    .map(([path]) => path);

describe('package-lock.json', () => {
  it('holds no address of a particular machine or mirror', () => {
    expect(Object.keys(lock).length).toBeGreaterThan(100);
    expect(addresses(lock)).toEqual([]);
  });

  it('has a decision about every install script', () => {
    expect(undecidedScripts(lock, allowScripts)).toEqual([]);
  });

  it('is complete for every platform, or npm ci refuses it', () => {
    expect(missing(lock)).toEqual([]);
  });

  it('holds nothing that nobody asks for: older versions of npm would install it', () => {
    expect(Object.keys(lock).filter((path) => lock[path]?.extraneous)).toEqual([]);
  });

  it('has a version and a checksum for everything that is installed', () => {
    expect(unchecked(lock)).toEqual([]);
  });
});

describe('the guard catches', () => {
  const planted: Lock = {
    '': { dependencies: { a: '1' } },
    'packages/own': { version: '1.0.0', dependencies: { a: '1', '@scope/c': '1' } },
    'node_modules/own': { resolved: 'packages/own', link: true },
    'node_modules/a': { version: '1.0.0', integrity: 'x', optionalDependencies: { 'a-mac': '1' } },
    'node_modules/a/node_modules/@scope/c': {
      version: '1.0.0',
      integrity: 'x',
      hasInstallScript: true,
      dependencies: { a: '1' },
    },
    'node_modules/far': { version: '1.0.0', resolved: 'https://mirror.test/far.tgz' },
    'node_modules/near': { link: true, resolved: 'https://mirror.test/near.tgz' },
  };

  it('addresses, scripts, gaps and missing checksums', () => {
    expect(addresses(planted)).toEqual(['node_modules/far', 'node_modules/near']);
    expect(undecidedScripts(planted, { c: true })).toEqual(['node_modules/a/node_modules/@scope/c']);
    expect(undecidedScripts(planted, { '@scope/c': false })).toEqual([]);
    expect(missing(planted)).toEqual(['packages/own needs @scope/c', 'node_modules/a needs a-mac']);
    expect(unchecked(planted)).toEqual(['node_modules/far']);
  });
});
