import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { hasRest, SCOPE } from './test/scope.ts';

// Workspace packages are tested from source: the `source` export condition points at src/.
const conditions = ['source', 'node'];
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
};
/** A package that has sources in TypeScript under the same condition: transformed, since Node cannot load them from there. */
const inline = [/@modelcontextprotocol\/client/, /\/eventsource/];

/** Only there to end what hangs: a test that passes never comes near them, however busy the machine is. */
const limits = { testTimeout: 120_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

/** Unit tests keep every core busy; of those with servers many wait, for a process, a clock or an answer. */
const WORKERS = { unit: '100%', servers: availableParallelism() + 1 };

const UNIT = ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'test/unit/**/*.test.ts'];
const SERVERS = ['test/**/*.test.ts'];

/** Files below these folders that have tests in the rest. */
function restBelow(...folders: string[]): string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  );
  return files.filter((file) => hasRest(file, readFileSync(new URL(file, import.meta.url), 'utf8')));
}

/** They take longest, and often wait. Without the results of an earlier run, vitest would begin with the largest files. */
const LONGEST = new Set(
  [
    'test/commands/workspace-insight-command',
    'test/commands/evaluate-command',
    'packages/workspace/src/qmd/search',
    'packages/fusion/src/reading/atoms',
    'test/e2e/command-line',
    'test/producer/dashboard',
    'test/fault/interleavings',
    'test/integration/two-tenants',
    'test/fault/failpoints',
    'test/integration/schedules',
    'test/integration/doctor',
    'test/db/export',
    'test/db/query-plans',
    'test/queue/redis',
    'test/producer/process',
    'test/integration/batches-worker',
    'test/integration/examples',
    'test/fault/batches-killed',
    'test/e2e/stuck',
    'test/e2e/shutdown',
    'test/fault/silent-queue',
  ].map((name) => realpathSync(fileURLToPath(new URL(`${name}.test.ts`, import.meta.url)))),
);

/** No worker is left with a long file when the others are done. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const isLong = ({ moduleId }: TestSpecification) => Number(LONGEST.has(moduleId));
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => groupOf(one) - groupOf(other) || isLong(other) - isLong(one));
  }
}

/**
 * Where transformed modules are kept, for both projects and for later runs. Their names hold their contents and this file; what an import
 * of another workspace leads to is said by its package.json, and the folder is named after all of these.
 */
function moduleCache(): string {
  const hash = createHash('sha256');
  for (const parent of ['packages', 'apps'])
    for (const name of readdirSync(new URL(parent, import.meta.url)).sort())
      hash.update(readFileSync(new URL(`${parent}/${name}/package.json`, import.meta.url)));
  return `node_modules/.cache/slowwave/modules-${hash.digest('hex').slice(0, 16)}`;
}

const long = SCOPE === 'change' ? ['**/*.long.test.ts'] : [];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    experimental: { fsModuleCache: true, fsModuleCachePath: moduleCache() },
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          ...limits,
          setupFiles: ['test/setup.ts'],
          // Modules keep no state, and loading them anew for each file takes longer than most tests.
          isolate: false,
          maxWorkers: WORKERS.unit,
          include: SCOPE === 'rest' ? restBelow('packages', 'apps', 'test/unit') : UNIT,
          exclude: ['**/node_modules/**', ...long],
        },
      },
      {
        ...shared,
        test: {
          name: 'servers',
          ...limits,
          server: { deps: { inline } },
          setupFiles: ['test/setup.ts'],
          isolate: false,
          maxWorkers: WORKERS.servers,
          include: SCOPE === 'rest' ? restBelow('test') : SERVERS,
          exclude: ['test/unit/**', ...long],
          // After the unit tests, which are the first to fail.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
