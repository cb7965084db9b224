import path from 'node:path';
import type { Mutant } from './mutants.ts';

/** One test, and how it ended. */
export interface RanTest {
  /** Path of its file. */
  file: string;
  /** Its title behind those of what it stands in. */
  name: string;
  state: 'passed' | 'failed' | 'skipped' | 'pending';
  /** Class and message of what went wrong. */
  errors: string[];
}

export type Verdict =
  | { status: 'killed' }
  /** Its test passes all the same. */
  | { status: 'survived'; why: string }
  /** Nothing was shown: the test did not run, or failed for another reason than an expectation. */
  | { status: 'error'; why: string };

/** How a test says that something is not as it should be: an expectation, or a condition that never came about. */
const EXPECTATION = /^(?:AssertionError: |Error: waited \d+ ms in vain|Error: Property failed after )/;

const testsOf = ({ killedBy }: Mutant, ran: readonly RanTest[]): RanTest[] =>
  ran.filter(
    ({ file, name }) =>
      path.normalize(file).endsWith(path.normalize(`/${killedBy.file}`)) && name.includes(killedBy.test),
  );

/** What the tests of a mutant say about it. @param applied the mutated module was loaded */
export function judgeMutant(mutant: Mutant, tests: readonly RanTest[], applied: boolean): Verdict {
  if (!applied) return { status: 'error', why: `no test loads ${mutant.file}` };
  const ran = testsOf(mutant, tests).filter(({ state }) => state === 'passed' || state === 'failed');
  if (ran.length === 0) return { status: 'error', why: 'its test did not run: does the mutant load?' };
  const errors = ran.flatMap(({ state, errors: own }) => (state === 'failed' ? own : []));
  if (ran.every(({ state }) => state === 'passed')) {
    return { status: 'survived', why: `passed without it: ${mutant.killedBy.test}` };
  }
  const { failsWith } = mutant;
  const meant = errors.some(
    (error) => EXPECTATION.test(error) || (failsWith !== undefined && error.includes(failsWith)),
  );
  if (meant) return { status: 'killed' };
  return { status: 'error', why: `its test fails by accident: ${errors[0]?.split('\n')[0] ?? 'no error'}` };
}

/** Mutants whose tests say nothing, since they do not pass before anything is mutated either, and why, in a sentence. */
export function judgeUnmutated(mutants: readonly Mutant[], tests: readonly RanTest[]): Map<Mutant, string> {
  const wrong = new Map<Mutant, string>();
  for (const mutant of mutants) {
    const { file, test } = mutant.killedBy;
    const own = testsOf(mutant, tests);
    const failed = own.filter(({ state }) => state === 'failed').length;
    if (failed > 0)
      wrong.set(mutant, `${mutant.name}: ${failed} of its tests fail without it (${file}: ${test})`);
    else if (!own.some(({ state }) => state === 'passed'))
      wrong.set(mutant, `${mutant.name}: no test has its name (${file}: ${test})`);
  }
  return wrong;
}
