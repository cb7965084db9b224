// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of templates, word for word
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ALL_GUARDS } from '@slowwave/db';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { guardedCode, marksIn } from '../fault/mutants/marks.ts';
import type { Change } from '../fault/mutants/table.ts';
import { MUTANTS, type Mutant } from '../fault/mutants.ts';
import { judgeMutant, judgeUnmutated, type RanTest } from '../fault/mutants-verdict.ts';
import { esbuildMutant, mutantNamed, mutateText, ROOT } from '../fault/mutate.ts';
import { workspaceSources } from './repository-files.ts';

const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** The code that a mark names. */
function codeOf(text: string, mark: string): string {
  const guarded = guardedCode(text, mark);
  if (typeof guarded === 'string') throw new Error(`${mark}: ${guarded}`);
  return text.slice(guarded.code.start, guarded.code.end);
}

/** A test file, and the files beside it that it takes tests from. */
function testTexts(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file) || !existsSync(path.join(ROOT, file))) return [];
  seen.add(file);
  const text = textOf(file);
  const beside = [...text.matchAll(/from '(\.\/[\w-]+\.ts)'/g)];
  return [text, ...beside.flatMap(([, name]) => testTexts(path.join(path.dirname(file), name!), seen))];
}

const QUOTED = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a title with these words stands in the texts: as it is, or with places for values. */
function isTitled(texts: readonly string[], words: string): boolean {
  return texts.some((text) =>
    [...text.matchAll(QUOTED)].some((match) => {
      const title = (match[1] ?? match[2] ?? match[3] ?? '').replaceAll("\\'", "'");
      if (title.includes(words)) return true;
      if (!/%[sdj]|\$\w/.test(title)) return false;
      const values = escaped(title).replaceAll(/%[sdj]|\\\$\w+/g, '.+');
      return new RegExp(`^${values}$`).test(words);
    }),
  );
}

describe('the mutants', () => {
  it('are enough, each under a name of its own', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(100);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    for (const { name } of MUTANTS) expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(() => mutantNamed('no-such-mutant')).toThrow('no-such-mutant');
  });

  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    '%s finds its guard and its test',
    (_name, mutant) => {
      const text = textOf(mutant.file);
      const mutated = mutateText(mutant, text);
      expect(mutated).not.toBe(text);
      expect(() => parseAst(mutated, { lang: 'ts' })).not.toThrow();
      expect(mutant.file).not.toMatch(/\.test\.ts$|^test\//);
      const { file, test } = mutant.killedBy;
      expect(file).toMatch(/\.test\.ts$/);
      expect(isTitled(testTexts(file), test) ? 'found' : `${file} has no test ${test}`).toBe('found');
    },
  );

  it('leave out no guard of a commit', () => {
    const guarded = MUTANTS.filter(({ file }) => file.startsWith('packages/db/src/fusions/')).map(
      ({ file, mark }) => codeOf(textOf(file), mark),
    );
    const forgotten = Object.keys(ALL_GUARDS).filter(
      (guard) => !guarded.some((code) => code.includes(`guards.${guard}`)),
    );
    // The switch stands around the whole look at the sources; what is looked at has mutants of its own.
    expect(forgotten).toEqual(['sources']);
    expect(MUTANTS.some(({ name }) => name === 'sources-judged')).toBe(true);
  });

  it('are all that the marks beside guards speak of', () => {
    const marked = workspaceSources().flatMap(({ path: file, text }) =>
      marksIn(text).map((mark) => `${file}: ${mark}`),
    );
    const known = new Set(MUTANTS.map(({ file, mark }) => `${file}: ${mark}`));
    expect(marked.filter((place) => !known.has(place))).toEqual([]);
    expect(new Set(marked).size).toBe(known.size);
  });
});

describe('a mark', () => {
  const mutated = (change: Change, ...lines: string[]): string =>
    mutateText({ name: 'm', file: 'f.ts', mark: 'one', change }, lines.join('\n'));

  it('stands behind a statement, on the line before it, or at an element', () => {
    expect(mutated('removed', 'a();', 'b(); // guard: one', 'c();')).toBe('a();\n // guard: one\nc();');
    expect(mutated('removed', '// guard: one', '// Why.', 'b(', '  c,', ');')).toBe(
      '// guard: one\n// Why.\n',
    );
    expect(mutated('removed', 'f([', '  a,', '  b, // guard: one', ']);')).toBe(
      'f([\n  a,\n   // guard: one\n]);',
    );
    expect(mutated({ is: 'true' }, 'x =', '  a &&', '  b; // guard: one')).toBe(
      'x =\n  a &&\n  true; // guard: one',
    );
  });

  it('stands behind a line of SQL', () => {
    const lines = [
      'q = sql`where a',
      '  and b = ${c} /* guard: one */',
      '  and ${sql`d',
      '    or e /* guard: two */`}`;',
    ];
    expect(mutated('removed', ...lines).split('\n')[1]).toBe('   /* guard: one */');
    expect(mutated({ is: 'and true' }, ...lines).split('\n')[1]).toBe('  and true /* guard: one */');
    expect(guardedCode(lines.join('\n'), 'two')).toMatchObject({ condition: null });
    expect(() => mutated('never', ...lines)).toThrow('has no condition');
    expect(() => mutated('removed', 'q = sql`a /* guard: one */`;')).toThrow('on a line of its own');
    expect(() => mutated('removed', 'q = sql`a', '  /* guard: one */', '`;')).toThrow(
      'at the end of its line',
    );
  });

  it('names a condition that never or always holds', () => {
    const lines = ['if (a && f(b)) { // guard: one', '  if (c) d();', '}'];
    expect(mutated('never', ...lines)).toContain('if (false) {');
    expect(mutated('always', ...lines)).toContain('if (true) {');
    expect(mutated('never', 'x = a ? b : c; // guard: one')).toBe('x = false ? b : c; // guard: one');
    expect(() => mutated('never', 'b(); // guard: one', 'if (a) c();')).toThrow('has no condition');
  });

  it('is refused where it does not stand exactly once, or at nothing', () => {
    expect(() => mutated('removed', 'a();')).toThrow(
      'mutant m: it is marked 0 times, not once (guard: one in f.ts)',
    );
    expect(() => mutated('removed', 'a(); // guard: one', 'b(); // guard: one')).toThrow('2 times');
    expect(() => mutated('removed', 'a(); // guard: one-more')).toThrow('0 times');
    expect(() => mutated('removed', 'x = (a', '  && b); // guard: one')).toThrow('no piece of code');
  });
});

describe('a bundle', () => {
  const bundle = (entry: string, mutant: Mutant, required: boolean) =>
    build({
      entryPoints: [path.join(ROOT, entry)],
      bundle: true,
      write: false,
      platform: 'node',
      packages: 'external',
      logLevel: 'silent',
      plugins: [esbuildMutant(mutant, { required })],
    }).then(({ outputFiles }) => outputFiles[0]!.text);

  it('has the mutant in it, or says that it cannot', async () => {
    const mutant = mutantNamed('row-count');
    const whole = await bundle('packages/db/src/fusions/apply.ts', { ...mutant, file: 'none.ts' }, false);
    expect(whole).toContain('guards.rowCount');
    expect(await bundle('packages/db/src/fusions/apply.ts', mutant, true)).not.toContain('guards.rowCount');
    await expect(bundle('packages/db/src/ids.ts', mutant, true)).rejects.toThrow('the bundle has no');
    const elsewhere = { ...mutant, mark: 'nowhere-to-be-found' };
    await expect(bundle('packages/db/src/fusions/apply.ts', elsewhere, true)).rejects.toThrow('0 times');
  });
});

describe('the verdict on a mutant', () => {
  const mutant: Mutant = {
    name: 'm',
    guard: 'g',
    file: 'packages/f.ts',
    mark: 'm',
    change: 'removed',
    killedBy: { file: 'test/f.test.ts', test: 'holds' },
  };
  const ran = (state: RanTest['state'], ...errors: string[]): RanTest[] => [
    { file: path.join(ROOT, 'test/f.test.ts'), name: 'it > holds', state, errors },
    {
      file: path.join(ROOT, 'test/f.test.ts'),
      name: 'it > else',
      state: 'failed',
      errors: ['AssertionError: x'],
    },
  ];
  const judge = (tests: RanTest[], more: Partial<Mutant> = {}, applied = true) =>
    judgeMutant({ ...mutant, ...more }, tests, applied).status;

  it('is death by an expectation of its own test, and by nothing else', () => {
    expect(judge(ran('failed', 'AssertionError: expected 1 to be 2'))).toBe('killed');
    expect(judge(ran('failed', 'Error: waited 50 ms in vain: it'))).toBe('killed');
    expect(judge(ran('passed'))).toBe('survived');
    for (const broken of [
      'SyntaxError: Unexpected token',
      'ReferenceError: x',
      'DatabaseError: SQLSTATE 42601',
    ]) {
      expect(judge(ran('failed', broken))).toBe('error');
    }
    const known = { failsWith: 'SQLSTATE 23505' };
    expect(judge(ran('failed', 'DatabaseError: SQLSTATE 23505'), known)).toBe('killed');
    expect(judge(ran('skipped'))).toBe('error');
    expect(judge([])).toBe('error');
    expect(judge(ran('failed', 'AssertionError: x'), {}, false)).toBe('error');
    const elsewhere = { killedBy: { file: 'test/g.test.ts', test: 'holds' } };
    expect(judge(ran('failed', 'AssertionError: x'), elsewhere)).toBe('error');
  });

  it('counts only where the tests pass without any', () => {
    const wrong = (tests: RanTest[]) => [...judgeUnmutated([mutant], tests).values()];
    expect(wrong(ran('passed'))).toEqual([]);
    expect(wrong(ran('failed'))).toEqual(['m: 1 of its tests fail without it (test/f.test.ts: holds)']);
    expect(wrong(ran('skipped'))).toEqual(['m: no test has its name (test/f.test.ts: holds)']);
    expect(wrong([])).toHaveLength(1);
  });
});
