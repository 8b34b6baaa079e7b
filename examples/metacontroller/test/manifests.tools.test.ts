/**
 * The Python server in the Pod of the operator.
 *
 * @module-tag kubectl
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findKubectl } from '@chancery/testing';
import { expect, test } from 'vitest';

const CLI = fileURLToPath(new URL('../../../operator/cli/main.ts', import.meta.url));
const FOLDER = fileURLToPath(new URL('../with-python', import.meta.url));

test('the server is a third container, and the lint has nothing against it', () => {
  const kubectl = findKubectl(process.env) ?? 'kubectl';

  const rendered = spawnSync(kubectl, ['kustomize', FOLDER], { encoding: 'utf8' });
  const words = [CLI, 'lint', '-'];
  const linted = spawnSync(process.execPath, words, { input: rendered.stdout, encoding: 'utf8' });

  expect(rendered.stderr).toBe('');
  expect(rendered.stdout).toContain('- /functions/cat-set.py');
  expect({ status: linted.status, told: linted.stdout + linted.stderr }).toMatchObject({
    status: 0,
    told: expect.stringContaining('0 errors'),
  });
});
