import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles } from './repository-files.ts';

/** What must stand in no file. Written so that no pattern matches its own source. */
const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
  ['a package registry', /\bregistry\.[a-z0-9-]+\.[a-z]{2,}\b/i],
  ['a package registry', /\b(?:artifactory|verdaccio|codeartifact|nexus)[a-z0-9-]*\.[a-z0-9.-]*[a-z]{2,}\b/i],
  ['a package registry', /\b(?:npm|maven|nuget)\.pkg\.[a-z]+/i],
  ['a login of a registry', /_auth(?:Token)?\s*=\s*\S/],
  ['a path of a machine', /(?<![\w.*-])\/(?:work|root)\/[\w.]/],
  ['a path of a machine', /(?<![\w.*-])\/(?:home|Users)\/(?!linuxbrew\b)[\w.-]+\//],
  ['a key', /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}/],
  ['a key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a key', /\b(?:gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})/],
  ['a key', /\b(?:xox[abprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9]{36})/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
];

const findings = (text: string): string[] =>
  FORBIDDEN.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);

const files = repositoryFiles();

describe('the files of the repository', () => {
  it('name no package registry, no path of a machine and no secret', () => {
    expect(files).toContain('package.json');
    const found = files
      .map((path) => ({ path, text: readText(path) }))
      .filter(({ text }) => !text.includes('\0'))
      .flatMap(({ path, text }) => findings(text).map((what) => `${path}: ${what}`));
    expect(found).toEqual([]);
  });

  it('include no environment file, database folder or log', () => {
    expect(
      files.filter((path) =>
        /(?:^|\/)(?:\.env(?!\.example$).*|\.slowwave|.*\.log|\.npmrc)(?:\/|$)/.test(path),
      ),
    ).toEqual([]);
  });
});

describe('the guard catches', () => {
  // Put together here: written out, they would be found in this file.
  it.each([
    ['https://registry', '.example.org/a'],
    ['npm.pkg', '.example.com'],
    ['http://artifactory', '.corp.example/npm'],
    ['//host/:_authToken', '=abc'],
    ['cd /wo', 'rk/main'],
    ['"/ro', 'ot/.npmrc"'],
    ['/ho', 'me/ann/src'],
    ['/Us', 'ers/ann/src'],
    ['sk-a', `nt-api03-${'x'.repeat(40)}`],
    ['AK', 'IAABCDEFGHIJKLMNOP'],
    ['gh', `p_${'a'.repeat(36)}`],
    ['-----BEGIN', ' RSA PRIVATE KEY-----'],
  ])('%s%s', (start, end) => {
    expect(findings(start + end)).toHaveLength(1);
  });

  it.each([
    'apps/work/a.ts',
    'new Registry().x',
    '/home/linuxbrew/.linuxbrew',
    'sk-test-key',
    './root/a',
    'GET /work',
  ])('but not %s', (text) => {
    expect(findings(text)).toEqual([]);
  });
});
