import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^chancery$/, replacement: source('operator/index.ts') },
      { find: /^chancery\/schema$/, replacement: source('operator/schema.ts') },
      { find: /^chancery\/testing$/, replacement: source('operator/testing.ts') },
    ],
  },
  test: {
    // Order must not matter: every run shuffles, and prints the seed to repeat it with.
    sequence: { shuffle: true },
    // Many tests wait for real processes and sockets: more files than cores can be under way.
    maxWorkers: 3,
    restoreMocks: true,
    // Nothing waits for time to pass; a machine that is shared may take long for what takes a second.
    testTimeout: 40_000,
    hookTimeout: 40_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'held',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/simple-path/**'],
          globalSetup: ['test/images/support/run-folder.ts'],
        },
      },
      {
        // What lists and watches over bytes, once more with every object parsed when it arrives.
        extends: true,
        test: {
          name: 'simple',
          include: [
            'test/simple-path/**/*.test.ts',
            'test/{scenarios,convergence,integration}/**/*.test.ts',
            'test/watch/wire.test.ts',
            'test/controller/**/{composite,rejections,finalizing,expectations,apply-owned,write-status}.test.ts',
            'test/cli/watch*.test.ts',
            'test/manager/{connect-options,install-crds,run-operator,scrape}.test.ts',
            'test/testing/operator/*.test.ts',
            'examples/website/**/*.test.ts',
          ],
          setupFiles: ['test/simple-path/setup.ts'],
        },
      },
    ],
  },
});
