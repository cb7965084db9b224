import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './repository-files.ts';
import {
  buildScript,
  foregroundScript,
  installScript,
  packBundleScript,
  packPackagesScript,
  vectorScript,
  vitestScript,
} from './script-modules.ts';

describe('the Node.js check', () => {
  it('accepts the oldest supported version and newer ones, and names the wanted one otherwise', () => {
    for (const version of ['20.20.0', '20.20.2', '22.0.0', '24.1.0']) installScript.checkNode(version);
    for (const version of ['20.19.9', '18.30.0'])
      expect(() => installScript.checkNode(version)).toThrow(`20.20 or newer; this is ${version}`);
  });
});

describe('the comparison of node_modules with the lock file', () => {
  const wanted = {
    '': {},
    'packages/db': { version: '0.1.0' },
    'node_modules/@slowwave/db': { resolved: 'packages/db', link: true },
    'node_modules/pg': { version: '8.0.0', integrity: 'one' },
    'node_modules/pg-mac': { version: '8.0.0', integrity: 'two', optional: true },
  };
  const { '': _root, 'node_modules/pg-mac': _mac, ...installed } = wanted;

  it('is content without packages for other platforms', () => {
    expect(installScript.isCurrent(wanted, installed)).toBe(true);
  });

  it.each([
    ['another version', { ...installed, 'node_modules/pg': { version: '8.0.1', integrity: 'one' } }],
    ['another content', { ...installed, 'node_modules/pg': { version: '8.0.0', integrity: 'other' } }],
    ['something left over', { ...installed, 'node_modules/old': { version: '1.0.0' } }],
    ['nothing at all', {}],
  ])('sees %s', (_what, found) => {
    expect(installScript.isCurrent(wanted, found)).toBe(false);
  });
});

describe('the build without turbo', () => {
  it('takes every workspace after those it depends on', () => {
    const order = buildScript.workspacesInOrder().map((folder) => folder.slice(ROOT.length));
    const precedes = (a: string, b: string) => expect(order.indexOf(a), a).toBeLessThan(order.indexOf(b));
    expect(new Set(order).size).toBe(order.length);
    precedes(join('packages', 'fusion'), join('packages', 'db'));
    precedes(join('packages', 'db'), join('apps', 'worker'));
    precedes(join('apps', 'worker'), join('apps', 'standalone'));
    precedes(join('apps', 'producer'), join('apps', 'standalone'));
  });
});

describe('the count of tests', () => {
  const report = {
    numPassedTests: 3,
    numFailedTests: 0,
    numPendingTests: 1,
    numTodoTests: 1,
    testResults: [],
  };
  const file = (status: string, ...tests: string[]) => ({
    status,
    assertionResults: tests.map((test) => ({ status: test })),
  });

  it('takes the numbers of the report', () => {
    expect(vitestScript.countTests(report, 0)).toEqual({ passed: 3, failed: 0, skipped: 2 });
  });

  it('counts a file that could not be loaded, once and beside failed tests', () => {
    const testResults = [file('failed'), file('failed', 'passed', 'failed'), file('passed', 'passed')];
    expect(vitestScript.countTests({ ...report, numFailedTests: 1, testResults }, 1).failed).toBe(2);
  });

  it('never says that nothing failed when the run failed', () => {
    expect(vitestScript.countTests(report, 1).failed).toBe(1);
  });
});

describe('commands in the foreground', () => {
  const exit = (code: string) => foregroundScript.runForeground(process.execPath, ['-e', code]);

  it('give the exit code that a shell would give', async () => {
    expect(await exit('process.exit(7)')).toBe(7);
    expect(await exit("process.kill(process.pid, 'SIGKILL')")).toBe(137);
  });

  it('keep their output back when asked, and report a command that is missing', async () => {
    const loud = "console.log('out'); console.error('err'); process.exit(3)";
    const done = await foregroundScript.runQuiet(process.execPath, ['-e', loud]);
    expect(done.code).toBe(3);
    expect(done.output).toContain('out\n');
    expect(done.output).toContain('err\n');
    expect((await foregroundScript.runQuiet('no-such-command-here', [])).code).toBe(127);
  });
});

describe('the bundle of the tarball', () => {
  const finished = (text: string, path = 'chunks/a.js') =>
    packBundleScript.finished(text, path, new Set(['Stop', 'Address4']));

  it('finished: a module in a chunk, gets its URL from the repository', () => {
    const text = 'const here = moduleUrl("packages/db/dist/migrate.js");';
    expect(finished(text)).toBe(
      'const here = new URL("../packages/db/dist/migrate.js", import.meta.url).href;',
    );
    expect(finished(text, 'apps/standalone/dist/main.js')).toContain(
      '"../../../packages/db/dist/migrate.js"',
    );
  });

  it.each([
    ['var A=class _Stop extends Error{again(){return new _Stop}};A.name', 'Stop'],
    ['var Stop2=class extends Error{};Stop2.name', 'Stop'],
    ['(()=>{class Stop3{}return Stop3})().name', 'Stop'],
    ['var Stop2=class _Stop2{again(){return new _Stop2}};Stop2.name', 'Stop'],
    ['var Address4=class{};Address4.name', 'Address4'],
    ['var Other2=class{};Other2.name', 'Other2'],
  ])('finished: %s, is %s', (text, name) => {
    // biome-ignore lint/security/noGlobalEval: the text is the test's own.
    expect(eval(finished(text))).toBe(name);
  });

  it('packagesOf: a package that uses the path of its modules, is refused unless reviewed', () => {
    const { packagesOf } = packPackagesScript;
    const inputs = [
      'apps/standalone/dist/main.js',
      'node_modules/pg/lib/index.js',
      'node_modules/pino/lib/transport.js',
    ];
    expect(packagesOf(inputs)).toEqual(['node_modules/pg', 'node_modules/pino']);
    expect(() => packagesOf([...inputs, 'node_modules/esbuild/lib/main.js'])).toThrow(
      /path of their modules: esbuild\./,
    );
  });
});

describe('the package source of the next Debian suite', () => {
  const stanza = [
    'Types: deb',
    '# a comment',
    'URIs: http://mirror.test/debian',
    'Suites: bookworm bookworm-updates',
    'Components: main',
    'Signed-By: /usr/share/keyrings/debian.gpg',
  ].join('\n');

  it('keeps mirror and key of the first stanza, and asks for sources of that suite alone', () => {
    const text = vectorScript.nextSuiteSources(
      `${stanza}\n\n${stanza.replace('/debian', '/security')}\n`,
      'trixie',
    );
    expect(text.split('\n').filter((line) => line !== '')).toEqual([
      'Types: deb-src',
      'URIs: http://mirror.test/debian',
      'Suites: trixie',
      'Components: main',
      'Signed-By: /usr/share/keyrings/debian.gpg',
    ]);
  });

  it('understands the one-line format too', () => {
    const lines =
      '# old\ndeb http://mirror.test/sec bookworm-security main\ndeb [arch=amd64] http://mirror.test/d bookworm main\n';
    expect(vectorScript.nextSuiteLine(lines, 'bookworm', 'trixie')).toBe(
      'deb-src [arch=amd64] http://mirror.test/d trixie main\n',
    );
    expect(vectorScript.nextSuiteLine('# nothing\n', 'bookworm', 'trixie')).toBeNull();
  });
});

describe('the continuous integration script', () => {
  it('is valid bash, may be executed, and stops at the first failure', () => {
    const path = join(ROOT, '.ci', 'run');
    execFileSync('bash', ['-n', path]);
    execFileSync('test', ['-x', path]);
    expect(execFileSync('cat', [path], { encoding: 'utf8' })).toMatch(/^set -euo pipefail$/m);
  });
});
