/**
 * What is generated for every example can be applied, and undoes nothing of the two containers.
 *
 * @module-tag kubectl
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { invoke } from '../../../test/cli/invocation.ts';
import { renderText } from '../../../test/manifests/support/rendered.ts';
import { EXAMPLES, folderOf } from '../examples.ts';

test.each(Object.keys(EXAMPLES))('the overlays of examples/%s pass the lint', async (name) => {
  for (const scope of ['namespaced', 'cluster-scoped']) {
    const overlay = fileURLToPath(new URL(`manifests/overlays/${scope}`, folderOf(name)));

    const { exit, stdout, stderr } = invoke(['lint', '-'], { stdin: await renderText(overlay) });

    expect({ scope, exit: await exit }).toEqual({ scope, exit: 0 });
    expect([...stdout.lines, ...stderr.lines].join('\n')).toMatch(/\b0 errors/);
  }
});
