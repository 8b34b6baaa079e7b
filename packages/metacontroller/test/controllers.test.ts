/** What a controller of Metacontroller's contract declares. */
import { expect, test } from 'vitest';
import { ConfigurationError } from '../../../operator/core/errors.ts';
import { Entry } from '../../../operator/model/entry.ts';
import type { KubernetesObject, ObjectMeta } from '../../../operator/model/object.ts';
import { defineResource } from '../../../operator/model/resource.ts';
import { dynamicApplyWriter } from '../src/children/dynamic-apply-writer.ts';
import { type CompositeParts, compositeController } from '../src/composite-controller.ts';
import { controllerName } from '../src/controller-name.ts';
import type { SharedParts } from '../src/controller-parts.ts';
import { decoratorControllers } from '../src/decorator-controller.ts';
import type { HookFunction } from '../src/hook-function.ts';
import { parseController } from '../src/parse/parse-controller.ts';
import type { CompositeSpec, DecoratorSpec } from '../src/spec.ts';
import { composite, decorator } from './support/farm.ts';

const ORCHARDS = defineResource({
  group: 'fruit.example',
  version: 'v1',
  plural: 'orchards',
  kind: 'Orchard',
  namespaced: true,
});
const CONFIG_MAPS = defineResource({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
});

const SHARED: SharedParts = {
  writer: dynamicApplyWriter(),
  workers: 5,
  resyncPeriodMs: 1_800_000,
  emptyChildren: 'refuse',
  extensions: false,
  revisionsNamespace: undefined,
  managedFields: true,
  resolve: () => Promise.reject(new ConfigurationError('nothing is resolved')),
  open: () => {
    throw new ConfigurationError('nothing is opened');
  },
};

function hook(mode: HookFunction['mode'] = 'webhook'): HookFunction {
  return {
    mode,
    version: 'v2',
    answers: 'strict',
    description: 'a test',
    call: () => Promise.resolve({ value: { children: [] } }),
    close: () => Promise.resolve(),
  };
}

function specOf(fields: object = {}, name = 'orchards'): CompositeSpec {
  return parseController({
    ...composite(name, {
      parentResource: { apiVersion: 'fruit.example/v1', resource: 'orchards' },
      childResources: [{ apiVersion: 'v1', resource: 'configmaps' }],
      hooks: { sync: { webhook: { url: 'http://hooks.example/sync', timeout: '30s' } } },
      ...fields,
    }),
    metadata: { name, uid: '1' },
  } as KubernetesObject) as CompositeSpec;
}

function controllerOf(parts: Partial<CompositeParts> = {}, shared: Partial<SharedParts> = {}) {
  return compositeController(
    {
      spec: specOf(),
      parent: ORCHARDS,
      children: [CONFIG_MAPS],
      hooks: { sync: hook() },
      statusFields: undefined,
      ...parts,
    },
    { ...SHARED, ...shared },
  );
}

function object(metadata: Partial<ObjectMeta>, fields: object = {}): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, ...fields };
}

function ownedBy(kind: string, apiVersion: string): Partial<ObjectMeta> {
  return { ownerReferences: [{ apiVersion, kind, name: 'o', uid: '2', controller: true }] };
}

test('[metacontroller M7] a controller without a sync hook is refused before it starts', () => {
  const rolling = { method: 'RollingInPlace' };
  const spec = specOf({
    childResources: [{ apiVersion: 'v1', resource: 'configmaps', updateStrategy: rolling }],
  });

  expect(() => controllerOf({ spec, hooks: { finalize: hook() } })).toThrow(
    'CompositeController orchards has no sync hook',
  );
});

test('[found 10] a rolling update of cluster-scoped parents without a namespace for revisions is refused, and the error contains the setting', () => {
  const rolling = { method: 'RollingInPlace' };
  const spec = specOf({
    childResources: [{ apiVersion: 'v1', resource: 'configmaps', updateStrategy: rolling }],
  });

  expect(() => controllerOf({ spec, parent: { ...ORCHARDS, namespaced: false } })).toThrow(
    'namespace of the operator: set POD_NAMESPACE',
  );
});

test("the number of workers and the time limits come from the controller's object and the settings", () => {
  expect(controllerOf()).toMatchObject({
    name: 'composite-orchards',
    maxConcurrentReconciles: 5,
    resyncPeriodMs: 0,
    reconcileTimeoutMs: 330_000,
    consistency: 'wait',
  });
});

test("[metacontroller M12] with generateSelector, only children with the controller's label are listed", () => {
  const [children] = controllerOf({ spec: specOf({ generateSelector: true }) }).owns;

  expect(children?.source.labelSelector).toBe('controller-uid');
});

test('[metacontroller M12] children that belong to other owners are cached without their content', () => {
  const [children] = controllerOf().owns;
  const transform = children?.source.transform;
  const data = { data: { a: '1' } };

  const kept = [{}, ownedBy('Orchard', 'fruit.example/v2')].map((owner) => object(owner, data));
  const others = [ownedBy('Orchard', 'v1'), ownedBy('ReplicaSet', 'apps/v1')].map((owner) =>
    object({ ...owner, managedFields: [{}] }, data),
  );

  expect(kept.map((each) => transform?.(each))).toEqual(kept);
  expect(others.map((each) => transform?.(each))).toEqual(
    others.map(({ apiVersion, kind, metadata: { managedFields: _, ...metadata } }) => ({
      ...{ apiVersion, kind, metadata },
    })),
  );
});

test('[metacontroller M12] controllers that need the same fields of their children share the caches', () => {
  const [first] = controllerOf().owns;
  const [second] = controllerOf({ spec: specOf({}, 'others') }).owns;
  const [module] = controllerOf({ hooks: { sync: hook('module') } }).owns;

  expect(first?.source.transform).toBe(second?.source.transform);
  expect(first?.source.transform).not.toBe(module?.source.transform);
});

test('managedFields are cached only if a hook is a webhook', () => {
  const managed = object({ managedFields: [{ manager: 'kubectl' }] });
  const cached = (controller: ReturnType<typeof controllerOf>) => [
    controller.for.transform?.(managed).metadata.managedFields,
    controller.owns[0]?.source.transform?.(managed).metadata.managedFields,
  ];

  expect(cached(controllerOf())).toEqual([[{ manager: 'kubectl' }], [{ manager: 'kubectl' }]]);
  expect(cached(controllerOf({}, { managedFields: false }))).toEqual([undefined, undefined]);
  for (const mode of ['exec', 'module'] as const) {
    expect(cached(controllerOf({ hooks: { sync: hook(mode) } }))).toEqual([undefined, undefined]);
  }
});

test('a DecoratorController results in one controller per resource', () => {
  const spec = parseController({
    ...decorator('signs', {
      resources: [
        { apiVersion: 'fruit.example/v1', resource: 'orchards' },
        { apiVersion: 'v1', resource: 'configmaps' },
      ],
      attachments: [{ apiVersion: 'v1', resource: 'configmaps' }],
      hooks: { sync: { webhook: { url: 'http://hooks.example/sync' } } },
    }),
    metadata: { name: 'signs', uid: '1' },
  } as KubernetesObject) as DecoratorSpec;
  const resources = [ORCHARDS, CONFIG_MAPS].map((resource) => ({
    resource,
    hasStatusSubresource: true,
    statusFields: undefined,
  }));
  const parts = { spec, resources, attachments: [CONFIG_MAPS], hooks: { sync: hook() } };

  const controllers = decoratorControllers(parts, SHARED);

  expect(controllers.map(({ name, for: source }) => [name, source.resource])).toEqual([
    ['decorator-signs-1', ORCHARDS],
    ['decorator-signs-2', CONFIG_MAPS],
  ]);
  expect(controllers[0]?.owns[0]?.source.transform?.(object({}, { data: {} }))).toEqual(object({}));
  expect(() => decoratorControllers({ ...parts, hooks: {} }, SHARED)).toThrow(
    'DecoratorController signs has no sync hook',
  );
});

test.each([
  ['orchards', 'composite-orchards'],
  ['orchards.fruit.example', 'composite-orchards-fruit-example-'],
  ['x'.repeat(253), `composite-${'x'.repeat(40)}-`],
])('the name of the controller for %.30s is a DNS label', (name, start) => {
  const made = controllerName('composite', name);

  expect(made).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
  expect(made.startsWith(start)).toBe(true);
});

test('controllers whose names differ only in a dot or a dash have different internal names', () => {
  expect(controllerName('composite', 'a.b')).not.toBe(controllerName('composite', 'a-b'));
});

test.each([
  ['the status', {}, {}, false],
  ['finalizers and owners', { finalizers: ['a/b'] }, ownedBy('Farm', 'v1'), false],
  ['labels', {}, { labels: { a: '1' } }, true],
  ['annotations', { annotations: { a: '1' } }, {}, true],
  ['the generation', {}, { generation: 2 }, true],
  ['the deletion', {}, { deletionTimestamp: 'now' }, true],
  [
    'nothing of an object without a generation',
    { generation: undefined },
    { generation: undefined },
    false,
  ],
])('with ignoreStatusChanges, a change of %s is passed on or dropped as expected', (_, before, after, passes) => {
  const parentResource = {
    apiVersion: 'fruit.example/v1',
    resource: 'orchards',
    ignoreStatusChanges: true,
  };
  const { predicate } = controllerOf({ spec: specOf({ parentResource }) });
  const now = object({ generation: 1, ...(after as Partial<ObjectMeta>) });
  const old = Entry.of(object({ generation: 1, ...(before as Partial<ObjectMeta>) }));
  const event = { object: now, metadata: now.metadata };

  expect(predicate?.({ ...event, type: 'update', old })).toBe(passes);
  expect(predicate?.({ ...event, type: 'generic' })).toBe(true);
});
