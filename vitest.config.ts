import { defineConfig } from 'vitest/config';

// Workspace packages are tested from source: the `source` export condition points at src/.
const conditions = ['source', 'node'];
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
};

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          setupFiles: ['test/setup.ts'],
          // The embedded database takes seconds to start, more on a busy machine.
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: '100%',
          include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'test/unit/**/*.test.ts'],
        },
      },
      {
        ...shared,
        test: {
          name: 'servers',
          setupFiles: ['test/setup.ts'],
          include: ['test/**/*.test.ts'],
          exclude: ['test/unit/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          // After the unit tests: with other limits, the two do not run side by side.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
