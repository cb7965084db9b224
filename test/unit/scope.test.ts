import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../fault/mutants.ts';
import { hasRest, inScope, readScope, runsInScope, SCOPES } from '../scope.ts';
import { repositoryFiles } from './repository-files.ts';
import { partsScript, testScopeScript } from './script-modules.ts';

describe('the scope of the tests', () => {
  it('is what a change needs, unless the environment names another', () => {
    expect(readScope(undefined)).toBe('change');
    expect(readScope('rest')).toBe('rest');
    expect(() => readScope('everything')).toThrow('expected change, rest, all');
  });

  it('parts cases without losing one', () => {
    const cases = { change: ['server'], rest: ['embedded'] };
    expect(inScope(cases, 'change')).toEqual(['server']);
    expect(inScope(cases, 'rest')).toEqual(['embedded']);
    expect(inScope(cases, 'all')).toEqual(['server', 'embedded']);
    const times = { change: 1, rest: 9 };
    expect(SCOPES.map((scope) => runsInScope(times, scope))).toEqual([1, 9, 9]);
  });

  it('leaves a file to the rest by its name, or because it parts its cases', () => {
    expect(hasRest('test/fault/storm.long.test.ts', '')).toBe(true);
    expect(hasRest('test/db/a.test.ts', 'describe.each(DATABASES)')).toBe(true);
    expect(hasRest('test/db/a.test.ts', "import { inScope } from '../scope.ts';")).toBe(true);
    expect(hasRest('test/db/a.test.ts', 'describe.each(BOTH_DATABASES)')).toBe(false);
  });

  it('has every mutant caught by what a change needs', () => {
    const late = MUTANTS.filter(({ killedBy }) => killedBy.file.endsWith('.long.test.ts'));
    expect(late.map(({ name }) => name)).toEqual([]);
  });

  it('leaves at least two thirds of the test files to every change', () => {
    const files = repositoryFiles().filter((file) => file.endsWith('.test.ts'));
    const long = files.filter((file) => file.endsWith('.long.test.ts'));
    expect(long.length).toBeGreaterThan(0);
    expect(long.length).toBeLessThan(files.length / 3);
    for (const file of long) expect(file, 'a unit test').not.toMatch(/^(?:packages|apps)\//);
  });
});

describe('the test command', () => {
  it('takes the rest in parts, and leaves other arguments to vitest', () => {
    const { scopeOf } = testScopeScript;
    expect(scopeOf([])).toEqual({ unitOnly: false, scope: null, args: [] });
    expect(scopeOf(['--all', 'test/db'])).toEqual({ unitOnly: false, scope: 'all', args: ['test/db'] });
    expect(scopeOf(['--unit', '-t', 'x'])).toEqual({ unitOnly: true, scope: null, args: ['-t', 'x'] });
    expect(scopeOf(['--rest', '2/3', 'test/db'])).toEqual({
      unitOnly: false,
      scope: 'rest',
      args: ['test/db', '--shard=2/3'],
    });
    for (const part of [[], ['2'], ['0/3'], ['test/db']])
      expect(() => scopeOf(['--rest', ...part])).toThrow('such as 2/3');
  });

  it('gives each part of the rest to as many commits as any other', () => {
    const { PARTS, partOf } = partsScript;
    const counts = Array.from({ length: PARTS }, () => 0);
    for (let i = 0; i < 4_000; i += 1) {
      const part = partOf(createHash('sha1').update(String(i)).digest('hex'));
      counts[part - 1]! += 1;
    }
    for (const count of counts) expect(Math.abs(count - 4_000 / PARTS)).toBeLessThan(200);
  });
});
