/**
 * The bash and the Python hook, started with contexts of every kind.
 *
 * @module-tag jq
 * @module-tag bash
 * @module-tag python3
 */
import { expect, test } from 'vitest';
import { type Patch, runScript } from './run-script.ts';

const ANNOTATION = 'k8spatterns.io/podDeleteSelector';

function config(name: string, selector: string | undefined, value: string, namespace = 'demo') {
  const annotations = selector === undefined ? {} : { [ANNOTATION]: selector };
  return { metadata: { name, namespace, annotations }, data: { value } };
}

const deployment = (name: string, labels: object | null, namespace = 'demo') => ({
  filterResult: { namespace, name, labels },
});

const DEPLOYMENTS = [
  deployment('web', { app: 'web', tier: 'front' }),
  deployment('shop', { app: 'shop' }),
  deployment('bare', null),
  deployment('web', { app: 'web', tier: 'front' }, 'other'),
];

function event(object: object, watchEvent = 'Modified') {
  const snapshots = { configs: [], deployments: DEPLOYMENTS };
  return { binding: 'configs', type: 'Event', watchEvent, object, snapshots };
}

async function rolled(...contexts: readonly object[]): Promise<readonly string[]> {
  const { patches } = await runScript('config-watcher.sh', contexts);
  return patches.map(({ namespace, name }) => `${namespace}/${name}`);
}

/** The hashes that a run writes into the template of `demo/web`, by annotation. */
function hashesIn(patches: readonly Patch[]): readonly unknown[] {
  return patches.map(
    ({ mergePatch }) => (mergePatch as Template).spec.template.metadata.annotations,
  );
}

interface Template {
  readonly spec: { readonly template: { readonly metadata: { readonly annotations: object } } };
}

test('HK1: a ConfigMap without the annotation restarts nothing, even after a ConfigMap with the annotation', async () => {
  const both = [event(config('a', 'app=web', '1')), event(config('b', undefined, '2'))];

  expect(await rolled(...both)).toEqual(['demo/web']);
  expect(await rolled(event(config('b', undefined, '2')))).toEqual([]);
});

test('the hook prints in one line why it was started, like the script in the book', async () => {
  const { lines } = await runScript('config-watcher.sh', [
    event(config('a', undefined, '1')),
    event(config('b', undefined, '1'), 'Added'),
  ]);

  expect(lines).toEqual(['::: Modified a, Added b']);
});

test('HK3: at startup, every ConfigMap is compared, and equal data has an equal hash', async () => {
  const objects = [{ object: config('a', 'app=web', 'line\nbreak \\ "quoted"') }];
  const snapshots = { configs: objects, deployments: DEPLOYMENTS };
  const synchronization = { binding: 'configs', type: 'Synchronization', objects, snapshots };

  const first = await runScript('config-watcher.sh', [synchronization]);
  const again = await runScript('config-watcher.sh', [event(objects[0]?.object ?? {})]);
  const other = await runScript('config-watcher.sh', [event(config('a', 'app=web', '2'))]);

  expect(hashesIn(first.patches)).toEqual([
    { 'a/sha256': expect.stringMatching(/^[0-9a-f]{16}$/) },
  ]);
  expect(hashesIn(again.patches)).toEqual(hashesIn(first.patches));
  expect(hashesIn(other.patches)).not.toEqual(hashesIn(first.patches));
});

test.each([
  '',
  'app',
  'app!=shop',
  'tier in (front,edge)',
  ',',
  'app=web,tier=back',
])('HK4: the selector %j selects nothing', async (selector) => {
  expect(await rolled(event(config('a', selector, '1')))).toEqual([]);
});

test('HK5: in the namespace of the ConfigMap, the hook patches the templates of all Deployments whose Pods have every label', async () => {
  const { patches } = await runScript('config-watcher.sh', [
    event(config('a', 'app=web,tier==front', '1')),
  ]);

  expect(patches).toEqual([
    {
      operation: 'MergePatch',
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'demo',
      name: 'web',
      mergePatch: expect.anything(),
    },
  ]);
});

test('of several changes of one ConfigMap, only the last change takes effect, and a new Deployment gets its hashes', async () => {
  const changes = ['1', '2', '3'].map((value) => event(config('a', 'app=web', value)));
  const configs = [config('a', 'app=web', '3'), config('b', 'app=shop', '1')].map((object) => ({
    object,
  }));
  const added = {
    binding: 'deployments',
    type: 'Event',
    watchEvent: 'Added',
    filterResult: DEPLOYMENTS[1]?.filterResult,
    snapshots: { configs, deployments: DEPLOYMENTS },
  };

  const merged = await runScript('config-watcher.sh', changes);
  const last = await runScript('config-watcher.sh', changes.slice(2));

  expect(merged.patches).toEqual(last.patches);
  expect(await rolled(added)).toEqual(['demo/web', 'demo/shop']);
});

const secret = (namespace: string, name: string, value: string, origin: string | null = null) => ({
  filterResult: { namespace, name, type: 'Opaque', data: { value }, origin },
});

function copying(
  sources: readonly object[],
  namespaces: readonly string[],
  copies: readonly object[] = [],
) {
  const named = namespaces.map((name) => ({ filterResult: { name, ends: name === 'ending' } }));
  const snapshots = { sources, namespaces: named, copies };
  return [{ binding: 'copies', type: 'Group', groupName: 'copies', snapshots }];
}

async function written(contexts: readonly object[]): Promise<readonly string[]> {
  const { patches } = await runScript('secret-copier.py', contexts);
  return patches.map(({ operation, namespace, name, object }) => {
    const place = object?.metadata ?? { namespace, name };
    return `${operation} ${place.namespace}/${place.name}`;
  });
}

test('a Secret is copied to every other labelled namespace that is not terminating, and an equal copy is not written', async () => {
  const source = secret('demo', 'key', '1');
  const equal = secret('shop', 'key', '1', 'demo/key');

  expect(await written(copying([source], ['demo', 'shop', 'yard', 'ending'], [equal]))).toEqual([
    'CreateIfNotExists yard/key',
  ]);
});

test('a different copy is updated, an unwanted copy is deleted, and a copy of another type is replaced', async () => {
  const sources = [secret('demo', 'key', '2'), secret('demo', 'typed', '1')];
  const typed = secret('shop', 'typed', '1', 'demo/typed').filterResult;
  const copies = [
    secret('shop', 'key', '1', 'demo/key'),
    secret('gone', 'key', '1', 'demo/key'),
    { filterResult: { ...typed, type: 'kubernetes.io/basic-auth' } },
  ];

  expect(await written(copying(sources, ['shop'], copies))).toEqual([
    'DeleteInBackground gone/key',
    'DeleteInBackground shop/typed',
    'CreateOrUpdate shop/key',
  ]);
});
