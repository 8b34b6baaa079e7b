import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Needs real programs, such as kubectl or jq. */
const TOOLS = '{test,examples}/**/*.tools.test.ts';
/** Scenarios behind an ambassador: behind the stand-in in `npm test`, behind a real kubectl proxy in `test:tools`. */
const BEHIND_AMBASSADOR = ['test/**/*.ambassador.test.ts', 'examples/*/test/**/*.test.ts'];

/** These look at the whole process: its signals, its memory, its environment, how modules are loaded. */
const WHOLE_PROCESS = ['test/placeholder/**'];

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
    env: { CHANCERY_TEST_AMBASSADOR: 'stand-in' },
    projects: [
      {
        // A worker keeps the toolkit for its next file: loading it anew was a third of the time.
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts', 'bench/test/**/*.test.ts'],
          exclude: ['**/node_modules/**', TOOLS, 'test/{simple,held}-path/**', ...WHOLE_PROCESS],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'node: whole process', include: WHOLE_PROCESS, exclude: [TOOLS] },
      },
      {
        extends: true,
        test: {
          name: 'examples',
          include: ['examples/**/*.test.ts'],
          exclude: [TOOLS],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'tools',
          include: [TOOLS],
          globalSetup: ['test/images/support/run-folder.ts'],
          env: { CHANCERY_TEST_AMBASSADOR: 'kubectl' },
        },
      },
      {
        extends: true,
        test: {
          name: 'kubectl proxy',
          include: BEHIND_AMBASSADOR,
          exclude: [TOOLS],
          isolate: false,
          env: { CHANCERY_TEST_AMBASSADOR: 'kubectl' },
        },
      },
      {
        // What lists and watches over bytes, once more with every object parsed when it arrives.
        extends: true,
        test: {
          name: 'again: simple',
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
          exclude: [TOOLS, 'test/integration/{demo,leadership,overload}.test.ts'],
          setupFiles: ['test/simple-path/setup.ts'],
        },
      },
      {
        // What lists and watches without bytes, once more with objects that come as text.
        extends: true,
        test: {
          name: 'again: held',
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
            'test/controller/{api-event-recorder-*,apply-owned,controller,event-validation,expectations,finalizer-writes,map-in-order,rejections,write-status}.test.ts',
          ],
          setupFiles: ['test/held-path/setup.ts'],
        },
      },
    ],
  },
});
