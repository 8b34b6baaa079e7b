/**
 * A file of integration tests, unchanged, on each backend: all that differs is the environment.
 *
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { BACKENDS } from './support/backends.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test.each(BACKENDS)(
  '[T-1] test/integration/any-api-server.test.ts passes on %s',
  { timeout: 120_000 },
  async (backend, make) => {
    const { environment, close } = await make();
    onTestFinished(close);
    const folder = mkdtempSync(join(tmpdir(), 'chancery-report-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const report = join(folder, 'report.json');
    const file = 'test/integration/any-api-server.ambassador.test.ts';
    // Of the ways in which the repository runs its tests, the plain one.
    const args = [
      'run',
      '--project=kubectl-proxy',
      '--reporter=json',
      `--outputFile=${report}`,
      file,
    ];

    await promisify(execFile)(
      process.execPath,
      [`${root}node_modules/vitest/vitest.mjs`, ...args],
      { cwd: root, env: { ...environment, CHANCERY_TEST_ENV: backend } },
    );

    const { numPassedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<
      string,
      number
    >;
    expect({ numPassedTests, numPendingTests }).toEqual({ numPassedTests: 1, numPendingTests: 0 });
  },
);
