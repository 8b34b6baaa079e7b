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
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    // Order must not matter: every run shuffles, and prints the seed to repeat it with.
    sequence: { shuffle: true },
    globalSetup: ['test/images/support/run-folder.ts'],
    // Many tests wait for real processes and sockets: more files than cores can be under way.
    maxWorkers: 3,
    restoreMocks: true,
    // Nothing waits for time to pass; a machine that is shared may take long for what takes a second.
    testTimeout: 40_000,
    hookTimeout: 40_000,
  },
});
