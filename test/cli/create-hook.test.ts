/** `chancery create hook`: what it writes, and what it refuses. The hooks of other languages are run in create-hook.tools.test.ts. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configOf, rightsOf } from '../../packages/hooks/test/support/documents.ts';
import { newHook } from './support/new-hook.ts';

test('`create hook` writes a hook with its permissions and a sample, and the hook patches the object of the sample', async () => {
  const { folder, create, start } = newHook();

  const { exit, stdout } = create('mark-pods', '--lang', 'node');

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([
    'written hooks/mark-pods.mjs',
    'written hooks/mark-pods.mjs.rights.yaml',
    'written contexts/mark-pods.json',
  ]);
  const script = join(folder, 'hooks/mark-pods.mjs');
  expect(statSync(script).mode & 0o111).toBe(0o111);
  const { config, patches } = start(script, join(folder, 'contexts/mark-pods.json'));
  expect(configOf(config).kubernetes[0]).toMatchObject({
    kind: 'Pod',
    apiVersion: 'v1',
    labelSelector: 'hooks.example.com/mark-pods=yes',
  });
  expect(JSON.parse(patches)).toMatchObject({ kind: 'Pod', namespace: 'default', name: 'sample' });
  expect(rightsOf(readFileSync(`${script}.rights.yaml`, 'utf8'))).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: ['patch'] },
  ]);
});

test('the generated permissions of a hook for a custom kind contain the group and plural of the kind', async () => {
  const { folder, create } = newHook();

  const words = ['--kind', 'Ferry', '--api-version', 'sea.example/v1', '--dir', 'deep/scripts'];
  const { exit, stderr } = create('ferries', ...words);
  expect(await exit).toBe(0);
  expect(stderr.lines.join()).toContain('--crd DEFINITION-OF-FERRY.yaml');

  const rights = readFileSync(join(folder, 'deep/scripts/ferries.sh.rights.yaml'), 'utf8');
  expect(rightsOf(rights)).toEqual([
    { apiGroups: ['sea.example'], resources: ['ferries'], verbs: ['patch'] },
  ]);
});

test('`create hook` does not overwrite a hook', async () => {
  const { create } = newHook();
  expect(await create('a').exit).toBe(0);

  const { exit, stderr } = create('a', '--kind', 'Node');

  expect(await exit).toBe(1);
  expect(stderr.lines.join()).toContain('hooks/a.sh');
});

test.each<[readonly string[], string]>([
  [[], 'hook takes one NAME, such as watch-pods; got 0'],
  [['Pods'], 'the name of a hook has at most 52 of a-z'],
  [['a', '--lang', 'pyton'], 'did you mean python?'],
  [['a', '--kind', 'Ferry'], '--kind "Ferry" is no kind of Kubernetes'],
  [['a', '--kind', "Fer'ry", '--api-version', 'sea.example/v1'], 'write one of yours in CamelCase'],
  [['a', '--dir', '../other'], '--dir must be a folder below'],
])('`create hook` refuses the arguments %j', async (words, message) => {
  const { create } = newHook();

  const { exit, stderr } = create(...words);

  expect(await exit).toBe(2);
  expect(stderr.lines.join()).toContain(message);
});
