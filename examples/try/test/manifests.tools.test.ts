/**
 * What is generated for every example can be applied, and undoes nothing of the two containers.
 *
 * @module-tag kubectl
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findKubectl } from '@chancery/testing';
import { expect, test } from 'vitest';
import { EXAMPLES, folderOf } from '../examples.ts';

const CLI = fileURLToPath(new URL('../../../operator/cli/main.ts', import.meta.url));

test.each(Object.keys(EXAMPLES))('the overlays of examples/%s pass the lint', (name) => {
  for (const scope of ['namespaced', 'cluster-scoped']) {
    const overlay = fileURLToPath(new URL(`manifests/overlays/${scope}`, folderOf(name)));
    const kubectl = findKubectl(process.env) ?? 'kubectl';

    const rendered = spawnSync(kubectl, ['kustomize', overlay], { encoding: 'utf8' });
    const linted = spawnSync(process.execPath, [CLI, 'lint', '-'], {
      input: rendered.stdout,
      encoding: 'utf8',
    });

    expect({ status: rendered.status, stderr: rendered.stderr }).toEqual({ status: 0, stderr: '' });
    expect({
      status: linted.status,
      errors: /\b0 errors/.test(linted.stderr + linted.stdout),
    }).toEqual({ status: 0, errors: true });
  }
});
