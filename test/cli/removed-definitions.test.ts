/** A kind that is removed from a project: its definition leaves the manifests, and what stays in clusters is told. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removedDefinitions } from '../../operator/cli/generate/removed-definitions.ts';
import type { FileState } from '../../operator/cli/generate/written-files.ts';
import { newProject } from '../scaffold/support/project.ts';
import { invoke } from './invocation.ts';

test('[scaffolding 23] the definition of a removed kind is removed from deploy/, with a warning', async () => {
  const { folder, create } = await newProject('demo');
  await create('--group=example.com', '--version=v1', '--kind=Cache').exit;
  const operator = join(folder, 'src/operator.ts');
  const output = join(folder, 'deploy');
  const generate = (...modules: readonly string[]) =>
    invoke(['generate', 'manifests', ...modules, '--name=demo', '-o', output]);
  expect(await generate(operator).exit).toBe(0);
  const before = readdirSync(join(output, 'crds'));

  rmSync(join(folder, 'src/cache.ts'));
  // A module that was imported stays as it was in this process, so the list gets a name of its own.
  const without = join(folder, 'src/without.ts');
  writeFileSync(without, "export { default } from './demo.ts';\n");
  const again = generate(without);
  expect(await again.exit).toBe(0);
  const third = generate(without);
  expect(await third.exit).toBe(0);

  const file = before.find((name) => name.includes('cache')) ?? '';
  expect(again.stdout.lines).toContain(`removed ${join(output, 'crds', file)}`);
  expect(existsSync(join(output, 'crds', file))).toBe(false);
  expect(again.stderr.lines).toContain(
    'chancery generate: the definition caches.example.com is no longer generated; in clusters it stays, with its objects, ' +
      'and nothing reconciles them: look for them with kubectl get caches.example.com -A, and delete it with kubectl ' +
      'delete crd caches.example.com when they may be deleted, too',
  );
  expect(third.stderr.lines.join()).not.toContain('caches');
});

const definition = (name: string): string =>
  `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${name}\n`;

/** A file that is no longer generated. */
function surplus(before: string): FileState {
  return { path: 'crds/a.yaml', state: 'surplus', before, after: '' };
}

test('moving a definition to another file causes no warning', () => {
  const moved: FileState = {
    ...{ path: 'crds/b.yaml', state: 'missing', before: '' },
    after: definition('as.example.com'),
  };

  const removed = surplus(`${definition('as.example.com')}---\n${definition('bs.example.com')}`);
  const lines = removedDefinitions([removed, moved]);

  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the definition bs.example.com is no longer generated');
});

test.each([
  'kind: CustomResourceDefinition\nmetadata: {\n',
  'kind: CustomResourceDefinition\n',
  'kind: Role\nmetadata:\n  name: a\n',
])('removing a file without a definition causes no warning: %j', (text) => {
  expect(removedDefinitions([surplus(text)])).toEqual([]);
});
