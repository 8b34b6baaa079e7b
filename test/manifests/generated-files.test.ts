/**
 * What is committed is what is generated. After a change of a declaration or of a template,
 * `npm run generate` writes it anew, and so does `npx vitest run test/manifests/generated-files.test.ts -u`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import { CONFIG_RESTART, inRepository, WEBSITE } from './support/trees.ts';

/** What people wrote: the overlays show combinations, and name addresses. */
const WRITTEN_BY_HAND = [
  'README.md',
  'overlays/hardened/kustomization.yaml',
  'overlays/observed/kustomization.yaml',
];
/** Of another command: packages/packaging/test/generate-committed.test.ts compares them. */
const POLICIES = 'policies/';

describe.each([CONFIG_RESTART, WEBSITE])('$folder', ({ folder, controllers, options }) => {
  const files = operatorManifests(controllers, options);

  test.each(files)('the file $path equals the output of the generator', async ({ path, text }) => {
    await expect(text).toMatchFileSnapshot(inRepository(join(folder, path)));
  });

  test('the folder contains only generated files, and the known files that people wrote', () => {
    const known = new Set([...files.map(({ path }) => path), ...WRITTEN_BY_HAND]);

    const found = readdirSync(inRepository(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(inRepository(folder).length + 1));

    expect(found.filter((path) => !known.has(path) && !path.startsWith(POLICIES))).toEqual([]);
  });
});
