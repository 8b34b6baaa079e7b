/** What an installation of this repository runs, and how documents name it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

test('[attack A-10] every package with an install script is approved, and documented', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as LockFile;
  const withScript = Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => hasInstallScript && path !== 'node_modules/fsevents')
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  const { allowScripts } = JSON.parse(textOf('package.json')) as { allowScripts: object };
  const documented = textOf('docs/dependencies.md');

  expect(withScript).toEqual(Object.keys(allowScripts));
  for (const name of withScript) {
    expect(documented).toContain(`### The install script of \`${name}\``);
  }
  expect(documented).toContain('npm ci --ignore-scripts');
  expect(textOf('docs/security/security.md')).toContain(
    'dependencies.md#the-install-script-of-node',
  );
});

test('[attack A-11] security.md lists a mounted module among the things that are not protected', () => {
  const [, notProtected = ''] = textOf('docs/security/security.md').split(
    '## What is not protected',
  );

  expect(notProtected).toContain('**A mounted module is the operator');
});
