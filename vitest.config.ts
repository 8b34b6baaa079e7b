import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^chancery$/, replacement: source('operator/index.ts') },
      { find: /^chancery\/testing$/, replacement: source('operator/testing.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    // Order must not matter: every run shuffles, and prints the seed to repeat it with.
    sequence: { shuffle: true },
    restoreMocks: true,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
