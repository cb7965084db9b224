import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../fault/mutants.ts';
import { hasRest, inScope, readScope, runsInScope } from '../scope.ts';
import { repositoryFiles } from './repository-files.ts';
import { testScopeScript } from './script-modules.ts';

describe('the scope of the tests', () => {
  it('is what a change needs, unless the environment names another', () => {
    expect(readScope(undefined)).toBe('change');
    expect(readScope('rest')).toBe('rest');
    expect(() => readScope('everything')).toThrow('expected change or rest');
  });

  it('parts cases without losing one', () => {
    const cases = { change: ['server'], rest: ['embedded'] };
    expect(inScope(cases, 'change')).toEqual(['server']);
    expect(inScope(cases, 'rest')).toEqual(['embedded']);
    const times = { change: 1, rest: 9 };
    expect([runsInScope(times, 'change'), runsInScope(times, 'rest')]).toEqual([1, 9]);
  });

  it('leaves a file to the rest by its name, or because it parts its cases', () => {
    expect(hasRest('test/fault/storm.long.test.ts', '')).toBe(true);
    expect(hasRest('test/db/a.test.ts', 'describe.each(DATABASES)')).toBe(true);
    expect(hasRest('test/db/a.test.ts', 'ownDatabase(openInScope)')).toBe(true);
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
  it('scopeOf: takes its own options out, and leaves other arguments to vitest', () => {
    const { scopeOf } = testScopeScript;
    expect(scopeOf([])).toEqual({ unitOnly: false, rest: false, args: [] });
    expect(scopeOf(['--unit', '-t', 'x'])).toEqual({ unitOnly: true, rest: false, args: ['-t', 'x'] });
    expect(scopeOf(['--rest', 'test/db'])).toEqual({ unitOnly: false, rest: true, args: ['test/db'] });
  });
});
