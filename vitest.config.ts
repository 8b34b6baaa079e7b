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
          name: 'all',
          include: ['test/**/*.test.ts', 'bench/test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/{simple,held}-path/**'],
          globalSetup: ['test/images/support/run-folder.ts'],
        },
      },
      {
        // They load the same toolkit, and end what they start: a worker keeps it for its next file.
        extends: true,
        test: { name: 'examples', include: ['examples/**/*.test.ts'], isolate: false },
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
            'test/manager/{connect-options,install-crds,run-operator,scrape}.test.ts',
            'test/cli/watch*.test.ts',
            'test/testing/operator/*.test.ts',
          ],
          // These wait for processes, or for load.
          exclude: ['test/integration/{demo,leadership,overload,shell-loop}.test.ts'],
          setupFiles: ['test/simple-path/setup.ts'],
        },
      },
      {
        // What lists and watches without bytes, once more with objects that come as text.
        extends: true,
        test: {
          name: 'held',
          include: [
            'test/held-path/**/*.test.ts',
            'test/{store,watch}/*.test.ts',
            'test/controller/*.test.ts',
            'test/manager/informers.test.ts',
          ],
          exclude: [
            'test/**/{held,unreadable}.test.ts', // their collections send text by themselves
            // Nothing is listed or watched in these, or over bytes.
            'test/store/{backlog,cache,cache.property,delivery,estimate-bytes,own-write-form,readable,selectors.property}.test.ts',
            'test/watch/{classify,wire}.test.ts',
            'test/controller/{api-event-recorder,apply-owned,controller,event-validation,expectations,finalizer-writes,map-in-order,rejections,write-status}.test.ts',
          ],
          setupFiles: ['test/held-path/setup.ts'],
        },
      },
    ],
  },
});
