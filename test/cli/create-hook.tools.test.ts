/**
 * The hooks that `chancery create hook` writes in languages other than Node, started with their samples.
 *
 * @module-tag jq
 * @module-tag bash
 * @module-tag python3
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configOf } from '../../packages/hooks/test/support/documents.ts';
import { newHook } from './support/new-hook.ts';

test.each([
  ['bash', 'sh'],
  ['python', 'py'],
])('a new hook in %s patches the object of its sample', async (language, ending) => {
  const { folder, create, start } = newHook();
  expect(await create('mark-nodes', '--lang', language, '--kind', 'Node').exit).toBe(0);

  const script = join(folder, `hooks/mark-nodes.${ending}`);
  const { config, patches } = start(script, join(folder, 'contexts/mark-nodes.json'));

  expect(configOf(config).kubernetes[0]).toMatchObject({ name: 'nodes', kind: 'Node' });
  expect(JSON.parse(patches)).toEqual({
    operation: 'MergePatch',
    apiVersion: 'v1',
    kind: 'Node',
    name: 'sample',
    mergePatch: { metadata: { annotations: { 'hooks.example.com/mark-nodes': 'seen' } } },
  });
});
