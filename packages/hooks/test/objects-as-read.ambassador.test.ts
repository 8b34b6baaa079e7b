/** Operations that are handed an object as it was read earlier, with all that the API server has put into it. */
import { expect, test } from 'vitest';
import { intercept } from '../../../operator/client/client-of.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { collected, shed, startFarm } from './support/patched-farm.ts';
import { configMap, named, preparedRun } from './support/patching.ts';

const STRANGER = {
  manager: 'stranger',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2020-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:trees': {} } },
};

/** Metadata of an object that was read, deleted, made again and changed since then. */
const READ: Readonly<Record<string, unknown>> = {
  uid: '00000000-1111-4222-8333-444444444444',
  resourceVersion: '1',
  managedFields: [STRANGER],
  creationTimestamp: '2020-01-01T00:00:00Z',
  deletionTimestamp: '2020-01-02T00:00:00Z',
  deletionGracePeriodSeconds: 30,
  generation: 7,
  selfLink: '/api/v1/namespaces/farm/configmaps/old',
};

/** Each field by itself, and all of them, as an object that was read has them. */
const KINDS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ...Object.entries(READ).map(([name, value]) => [name, { [name]: value }] as const),
  ['everything', READ],
];

/** Without those that are preconditions of a patch when they stand alone. */
const ALONE = KINDS.filter(([name]) => !['uid', 'resourceVersion'].includes(name));

const asRead = (
  name: string,
  metadata: object,
  data?: Readonly<Record<string, string>>,
): object => {
  const object = configMap(name, data);
  return { ...object, metadata: { ...object.metadata, ...metadata } };
};

/** A run that does one operation on the ConfigMap `old`, which has changed since it was read, or on `new`. */
async function place(patch: object, jq?: (object: unknown) => readonly unknown[]) {
  const farm = await startFarm(configMap('old', { trees: '1', others: 'own' }));
  farm.server.patch('v1', 'ConfigMap', 'farm', 'old', { metadata: { labels: { changed: 'yes' } } });
  const run = preparedRun({
    client: collected(farm),
    leaves: [{ patches: [patch] }],
    ...(jq && { jq }),
  });
  const stored = (name = 'old') =>
    farm.server.get('v1', 'ConfigMap', 'farm', name) as
      | (KubernetesObject & { readonly data?: unknown })
      | undefined;
  const before = stored();
  const failure = await run.attempt();
  return { farm, failure, before, stored };
}

/** The fields that only a server sets and that came from the object as it was read. Empty when all is well. */
function foreignIn(object: KubernetesObject | undefined, before?: KubernetesObject): unknown {
  const metadata: Readonly<Record<string, unknown>> = { ...object?.metadata };
  const { uid, creationTimestamp, deletionTimestamp, managedFields, ...rest } = metadata;
  const managers = managedFields as readonly { readonly manager: string }[] | undefined;
  return {
    ...(before !== undefined && uid !== before.metadata.uid && { uid }),
    ...(uid === READ.uid && { uid }),
    ...(creationTimestamp === READ.creationTimestamp && { creationTimestamp }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...('selfLink' in rest && { selfLink: rest.selfLink }),
    ...(rest.generation === READ.generation && { generation: rest.generation }),
    ...(managers?.some(({ manager }) => manager === 'stranger') && { managers }),
  };
}

test.each(
  KINDS,
)('[found 11] Create makes a new object from an object that was read with %s', async (_what, metadata) => {
  for (const operation of ['Create', 'CreateIfNotExists', 'CreateOrUpdate']) {
    const object = asRead('new', metadata, { trees: '2' });
    const { failure, stored } = await place({ operation, object });

    expect([operation, failure?.message]).toEqual([operation, undefined]);
    expect(stored('new')?.data).toEqual({ trees: '2' });
    expect(foreignIn(stored('new'))).toEqual({});
  }
});

test.each(
  KINDS,
)('[found 11] Create reports that a name is taken, even for an object that was read with %s', async (_what, metadata) => {
  const object = asRead('old', metadata, { trees: '2' });

  const create = await place({ operation: 'Create', object });
  const unlessThere = await place({ operation: 'CreateIfNotExists', object });

  expect(create.failure?.message).toContain('already exists');
  expect(unlessThere.failure).toBeUndefined();
  expect(unlessThere.stored()).toEqual(unlessThere.before);
});

test.each(
  KINDS,
)('[found 11] CreateOrUpdate replaces an existing object by an object that was read with %s', async (_what, metadata) => {
  const object = asRead('old', metadata, { trees: '2' });

  const { failure, before, stored } = await place({ operation: 'CreateOrUpdate', object });

  expect(failure?.message).toBeUndefined();
  expect(stored()?.data).toEqual({ trees: '2' });
  expect(foreignIn(stored(), before)).toEqual({});
});

test.each(
  ALONE,
)('[found 11] a forced Apply takes the fields over, even for an object that was read with %s', async (_what, metadata) => {
  const object = asRead('old', metadata, { trees: '2' });

  const { failure, before, stored } = await place({ operation: 'Apply', object, force: true });

  expect(failure?.message).toBeUndefined();
  expect(stored()?.data).toEqual({ trees: '2', others: 'own' });
  expect(foreignIn(stored(), before)).toEqual({});
});

test.each(
  KINDS,
)('[found 11] if the program of a JQPatch sets %s of an object that was read earlier, only the other fields change', async (_what, metadata) => {
  const merged = (object: unknown): readonly unknown[] => {
    const live = object as KubernetesObject & { data: object };
    return [{ ...live, metadata: { ...live.metadata, ...metadata }, data: { trees: '2' } }];
  };
  const patch = { operation: 'JQPatch', ...named('old'), jqFilter: '. * $read' };

  const { failure, before, stored } = await place(patch, merged);

  expect(failure?.message).toBeUndefined();
  expect(stored()?.data).toEqual({ trees: '2' });
  expect(foreignIn(stored(), before)).toEqual({});
});

test("[found 11] a JQPatch that changes only the server's metadata writes nothing", async () => {
  const patch = { operation: 'JQPatch', ...named('old'), jqFilter: 'del(.metadata.managedFields)' };

  const { farm, failure } = await place(patch, (object) => {
    const { metadata, ...rest } = object as KubernetesObject;
    return [{ ...rest, metadata: { ...metadata, managedFields: undefined } }];
  });

  expect(failure).toBeUndefined();
  expect(farm.sent.map(({ method }) => method)).toEqual(['GET']);
});

test.each(
  ALONE,
)('[found 11] if a MergePatch contains %s of an object that was read earlier, only the other fields change', async (_what, metadata) => {
  const mergePatch = asRead('old', metadata, { trees: '2' });

  const { failure, before, stored } = await place({
    operation: 'MergePatch',
    ...named('old'),
    mergePatch,
  });

  expect(failure?.message).toBeUndefined();
  expect(stored()?.data).toEqual({ trees: '2', others: 'own' });
  expect(foreignIn(stored(), before)).toEqual({});
});

test.each([
  ['resourceVersion', 'MergePatch', { resourceVersion: '1' }],
  ['uid', 'MergePatch', { uid: READ.uid }],
  ['resourceVersion', 'Apply', { resourceVersion: '1' }],
  ['uid', 'Apply', { uid: READ.uid }],
])('[found 11] %s without a creationTimestamp in a %s is a precondition, and the operation fails if the stored object differs', async (_what, operation, metadata) => {
  const patch =
    operation === 'Apply'
      ? { object: asRead('old', metadata, { trees: '2' }), force: true }
      : { ...named('old'), mergePatch: { metadata, data: { trees: '2' } } };

  const { failure, before, stored } = await place({ operation, ...patch });

  expect(failure?.message).toMatch(/modified|immutable|[Pp]recondition/);
  expect(stored()).toEqual(before);
});

test('[found 11] a write of an object that was read earlier fails if the stored object has changed, and the hook is not started again', async () => {
  const farm = await startFarm(configMap('old', { trees: '1' }));
  let conflicts = 0;
  const client = intercept(farm.client, (next) => async (call) => {
    if (call.verb === 'patch' && conflicts++ === 0) {
      await next({
        ...call,
        patch: { type: 'merge', body: { metadata: { resourceVersion: '1' } } },
      });
    }
    return next(call);
  });
  const mergePatch = asRead('old', READ, { trees: '2' });
  const patches = [{ operation: 'MergePatch', ...named('old'), mergePatch }];
  const run = preparedRun({ client, leaves: [{ patches }] });

  const first = await run.attempt();
  const second = await run.attempt();

  expect(first?.message).toContain('409 Conflict');
  expect(second).toBeUndefined();
  expect(run.starts()).toBe(1);
});

test('[found 11] JSONPatch is sent exactly as the hook wrote it', async () => {
  const jsonPatch = [
    { op: 'replace', path: '/metadata/resourceVersion', value: '1' },
    { op: 'add', path: '/data/trees', value: '2' },
  ];

  const { failure, before, stored } = await place({
    operation: 'JSONPatch',
    ...named('old'),
    jsonPatch,
  });

  expect(failure?.message).toMatch(/modified/);
  expect(stored()).toEqual(before);
});

interface Shed extends KubernetesObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

/** A Deployment as it was read: its metadata, its spec and its status. */
const shedAsRead = (): Shed => {
  const { metadata, spec, ...rest } = shed();
  const read = { ...metadata, ...READ };
  return {
    ...rest,
    metadata: read,
    spec: { ...spec, replicas: 4 },
    status: { replicas: 9 },
  } as unknown as Shed;
};

test.each([
  ['MergePatch', undefined, { replicas: 4, inStatus: 1 }],
  ['MergePatch', 'status', { replicas: 2, inStatus: 9 }],
  ['JQPatch', undefined, { replicas: 4, inStatus: 1 }],
  ['JQPatch', '/status', { replicas: 2, inStatus: 9 }],
  ['CreateOrUpdate', undefined, { replicas: 4, inStatus: 1 }],
  ['Apply', undefined, { replicas: 4, inStatus: 1 }],
  ['Apply', 'status', { replicas: 2, inStatus: 9 }],
  ['Status', undefined, { replicas: 2, inStatus: 9 }],
])('[found 11] %s with the subresource %s writes either the spec or the status of an object, and not both', async (operation, subresource, expected) => {
  const read = shedAsRead();
  const farm = await startFarm();
  farm.server.create({ ...shed(), spec: { ...shed().spec, replicas: 2 } } as KubernetesObject);
  farm.server.patch('apps/v1', 'Deployment', 'farm', 'shed', { status: { replicas: 1 } }, 'status');
  const bodies: Readonly<Record<string, object>> = {
    MergePatch: { mergePatch: read },
    JQPatch: { jqFilter: '. * $read' },
    Status: { status: read.status },
    Apply: { object: read, force: true },
    CreateOrUpdate: { object: read },
  };
  const names = { ...named('shed'), kind: 'Deployment', apiVersion: 'apps/v1' };
  const target = 'object' in (bodies[operation] ?? {}) ? {} : names;
  const patch = { operation, ...target, ...bodies[operation], ...(subresource && { subresource }) };
  const jq = (live: unknown): readonly unknown[] => [
    { ...read, metadata: { ...(live as Shed).metadata, ...read.metadata } },
  ];
  const run = preparedRun({ client: farm.client, leaves: [{ patches: [patch] }], jq });
  const stored = () => farm.server.get('apps/v1', 'Deployment', 'farm', 'shed') as Shed;
  const before = stored();

  const failure = await run.attempt();

  const { spec, status } = stored();
  expect(failure?.message).toBeUndefined();
  expect({ replicas: spec.replicas, inStatus: status?.replicas }).toEqual(expected);
  expect(foreignIn(stored(), before)).toEqual({});
});

test.each([
  'Delete',
  'DeleteInBackground',
  'DeleteNonCascading',
])('[found 11] %s uses only the name, and ignores the other fields of an object that was read', async (operation) => {
  const { metadata } = asRead('old', READ) as KubernetesObject;

  const { failure, before, stored } = await place({ operation, ...named('old'), metadata });

  // Without a garbage collector, what is deleted with its children orphaned waits for it.
  const { deletionTimestamp = 'gone' } = stored()?.metadata ?? {};
  expect(failure?.message).toBeUndefined();
  expect(before?.metadata.deletionTimestamp).toBeUndefined();
  expect(deletionTimestamp).toMatch(/gone|^2/);
  expect(deletionTimestamp).not.toBe(READ.deletionTimestamp);
});
