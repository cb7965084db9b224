import { createVitest, type TestRunResult, type TestSpecification, type Vitest } from 'vitest/node';
import ordinary from '../../vitest.config.ts';
import type { Killer } from './mutants.ts';
import type { RanTest } from './mutants-verdict.ts';
import { type Mutation, ROOT, viteMutant } from './mutate.ts';

/** What ran, and whether the mutated module was among what it loaded. */
export interface Ran {
  tests: RanTest[];
  applied: boolean;
  seconds: number;
}

/** Runs tests of this repository, over and over, each time with another mutant or none. */
export interface MutantTests {
  /** @param mutation null: the product as it is */
  run(killers: readonly Killer[], mutation: Mutation | null): Promise<Ran>;
  close(): Promise<void>;
}

/** A test of a mutant that waits for ever need not wait for as long as others may; a wait in vain ends well before its test. */
const LIMITS = { testTimeout: 30_000, hookTimeout: 60_000, env: { SLOWWAVE_TEST_PATIENCE: '0.3' } };

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * The ordinary tests in this process's own vitest, so that what is not mutated is read and transformed once. Nothing outside of this
 * process knows which mutant is on.
 */
export async function openMutantTests(): Promise<MutantTests> {
  let mutation: Mutation | null = null;
  let applied = false;
  const plugin = viteMutant(
    () => mutation,
    () => {
      applied = true;
    },
  );
  const projects = (ordinary.test?.projects ?? []).map((project) => {
    if (typeof project !== 'object' || !('test' in project)) throw new TypeError('a project of another kind');
    return {
      ...project,
      root: ROOT,
      plugins: [plugin],
      test: { ...project.test, ...LIMITS, maxWorkers: 1 },
    };
  });
  const vitest = await createVitest('test', {
    config: false,
    root: ROOT,
    watch: false,
    reporters: [{}],
    projects,
  });
  return {
    async run(killers, next) {
      const begun = performance.now();
      for (const changed of [mutation, next]) if (changed) vitest.invalidateFile(`${ROOT}${changed.file}`);
      mutation = next;
      applied = false;
      const files = [...new Set(killers.map(({ file }) => `${ROOT}${file}`))];
      vitest.setGlobalTestNamePattern(patternOf(killers));
      const result = await vitest.runTestSpecifications(await specificationsOf(vitest, files));
      return { tests: testsOf(result), applied, seconds: (performance.now() - begun) / 1000 };
    },
    close: () => vitest.close(),
  };
}

/** Of a test that stands for each kind of database, one is enough: the one on a server begins much sooner. */
function patternOf(killers: readonly Killer[]): RegExp {
  const titles = killers.map(({ test, embedded = false }) =>
    embedded ? `.*\\(embedded\\).*${escaped(test)}` : `(?!.*\\(embedded\\)).*${escaped(test)}`,
  );
  return new RegExp(`^(?:${[...new Set(titles)].join('|')})`);
}

/** One for each file, of whichever project it belongs to. */
async function specificationsOf(vitest: Vitest, files: readonly string[]): Promise<TestSpecification[]> {
  const found = await vitest.globTestSpecifications([...files]);
  return found.filter(({ moduleId }) => files.includes(moduleId));
}

function testsOf({ testModules }: TestRunResult): RanTest[] {
  return testModules.flatMap((module) =>
    [...module.children.allTests()].map((test) => {
      const result = test.result();
      return {
        file: module.moduleId,
        name: test.fullName,
        state: result.state,
        errors: (result.errors ?? []).map(({ name, message }) => `${name ?? 'Error'}: ${message}`),
      };
    }),
  );
}
