import { type KubernetesObject, resourceName } from 'chancery';
import { isController } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { documentWatcher } from '../front-ends/config-map.ts';
import { watcherMappings } from '../front-ends/front-ends.ts';
import configRestart from '../operator.ts';

function watcher(metadata: object, rest: object): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'x',
    metadata: { name: 'w', namespace: 'ns', ...metadata },
    ...rest,
  };
}

test('the module exports one controller for ConfigMaps', () => {
  expect(isController(configRestart)).toBe(true);
  expect(configRestart.name).toBe('config-restart');
  expect(resourceName(configRestart.for.resource)).toBe('configmaps');
});

test('every definition is optional, so that annotations work even if none is installed', () => {
  const sources = configRestart.watches.map(({ source }) => [
    resourceName(source.resource),
    source.optional,
  ]);

  expect(sources).toEqual([
    ['configwatchers.k8spatterns.io', true],
    ['configwatchers.k8spatterns.com', true],
    ['configmonitors.magalix.com', true],
    ['configmaps', false],
  ]);
});

const looksNothingUp = { store: () => expect.unreachable('all is in the watcher') };

test("a watcher enqueues the ConfigMap that it refers to, in the watcher's namespace", async () => {
  const spec = { configMap: 'config', podSelector: { app: 'x' } };
  const document = { data: { spec: JSON.stringify(spec) } };

  const keys = await Promise.all(
    watcherMappings.map(({ source, map }) =>
      map(watcher({}, source.optional ? { spec } : document), looksNothingUp),
    ),
  );

  expect(keys).toEqual([['ns/config'], ['ns/config'], ['ns/config'], ['ns/config']]);
});

test('a watcher without the name of a ConfigMap enqueues the name of the watcher, so that the mistake is reported', async () => {
  const keys = await Promise.all(
    watcherMappings.map(({ map }) => map(watcher({}, { spec: null, data: {} }), looksNothingUp)),
  );

  expect(keys).toEqual([['ns/w'], ['ns/w'], ['ns/w'], ['ns/w']]);
});

test('a document with exponentially growing aliases is refused', () => {
  const levels = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let level = 1; level < 9; level++) {
    const [before, now] = [level - 1, level].map((each) => String.fromCharCode(97 + each));
    levels.push(`${now}: &${now} [${Array(9).fill(`*${before}`).join()}]`);
  }
  const bomb = watcher({}, { data: { spec: levels.join('\n') } });

  const read = documentWatcher(bomb);

  expect(read).toMatchObject({ accepted: false, refusal: { reason: 'InvalidSpec' } });
});

test.each([
  ['secrets'],
  ['nodes'],
  ['pods/exec'],
])('the operator requests no permission for %s', (name) => {
  const asked = configRestart.permissions.map(({ resource, subresource }) =>
    subresource === undefined ? resourceName(resource) : `${resourceName(resource)}/${subresource}`,
  );

  expect(asked).not.toContain(name);
});
