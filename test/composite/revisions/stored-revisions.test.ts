/** How revisions are stored, claimed and deleted. */
import { expect, test } from 'vitest';
import { createRevisions } from '../../../operator/composite/revisions/create-revisions.ts';
import { forests, type Held, Rollout } from './rollout.ts';

const LABELS = {
  'metacontroller.k8s.io/apiGroup': 'fruit.example',
  'metacontroller.k8s.io/resource': 'orchards',
};

/** A revision as Metacontroller stores it. */
function revision(name: string, taste: string, names: readonly string[], owner?: object): Held {
  return {
    apiVersion: 'metacontroller.k8s.io/v1alpha1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace: 'farm',
      labels: { ...LABELS, app: 'north' },
      ...(owner && { ownerReferences: [owner as never] }),
    },
    parentPatch: { spec: { taste, selector: { matchLabels: { app: 'north' } } } },
    children: [{ apiGroup: '', kind: 'Pod', names }],
  };
}

const NORTH = {
  apiVersion: 'fruit.example/v1',
  kind: 'Orchard',
  name: 'north',
  uid: '22222222-0000-4000-8000-000000000002',
  controller: true,
  blockOwnerDeletion: true,
};

/** A parent with a selector, as Metacontroller needs it without `generateSelector`. */
function withSelector(): Rollout {
  const rollout = new Rollout({ generateSelector: false, update: 'rolling-apply' });
  rollout.edit({ taste: 'sweet', selector: { matchLabels: { app: 'north' } } });
  return rollout;
}

test.each([
  'metacontroller',
  'chancery',
] as const)('if nothing has changed, a new process does not write the revisions (%s)', async (format) => {
  const rollout = new Rollout({ format });
  await rollout.settle();
  const before = rollout.stored.writes.length;

  rollout.successor();
  await rollout.settle();

  expect(rollout.stored.writes).toHaveLength(before);
  expect(before).toBe(1);
});

test.each([
  ['metacontroller', 'metacontroller.k8s.io/v1alpha1'],
  ['chancery', 'apps/v1'],
] as const)('[contract 69] revisions of a cluster-scoped parent are stored in the configured namespace (%s)', async (format, apiVersion) => {
  const rollout = new Rollout({ format, isClusterScoped: true, names: ['a', 'b'] });

  await rollout.settle();

  const [stored] = [...rollout.stored.all.values()];
  expect(stored).toMatchObject({
    apiVersion,
    metadata: { namespace: 'system', ownerReferences: [{ kind: 'Forest', name: 'north' }] },
  });
  expect(JSON.stringify(stored)).toContain('far/a');
});

test('[metacontroller M1] createRevisions refuses a cluster-scoped parent without a namespace for its revisions', () => {
  const { format, type } = new Rollout({ isClusterScoped: true });
  const writer = {} as never;
  const options = { controller: 'c', parentResource: forests, children: [type], writer, format };

  expect(() => createRevisions(options)).toThrow(
    expect.objectContaining({ code: 'CONFIG', context: { controller: 'c' } }),
  );
});

test('in the format `chancery`, a revision is a ControllerRevision of apps/v1, whose data never changes', async () => {
  const rollout = new Rollout({ format: 'chancery', update: 'rolling-apply', names: ['a', 'b'] });
  await rollout.settle();
  rollout.edit({ taste: 'sour' });
  await rollout.reconcile();

  const [older, latest] = [...rollout.stored.all.values()];
  expect(older).toMatchObject({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      labels: { 'chancery.dev/revision-of': 'orchards' },
      annotations: {
        'chancery.dev/revision-children': '[{"apiGroup":"","kind":"Pod","names":["b"]}]',
      },
    },
    data: { parentPatch: { spec: { taste: 'sweet' } } },
    revision: 1,
  });
  expect(latest?.metadata.annotations).toEqual({
    'chancery.dev/revision-children': '[{"apiGroup":"","kind":"Pod","names":["a"]}]',
  });
  expect(latest?.metadata.name).toMatch(/^orchards-[0-9a-f]{40}$/);
});

test.each([
  ['changed', (rollout: Rollout, name: string) => rollout.stored.change(name, (held) => held)],
  ['deleted', (rollout: Rollout, name: string) => rollout.stored.delete(name)],
])('[metacontroller M14] a revision that was %s meanwhile is not overwritten, and no child is changed', async (_, interfere) => {
  const rollout = new Rollout({ update: 'rolling-apply' });
  await rollout.settle();
  rollout.edit({ taste: 'sour' });
  await rollout.reconcile();
  rollout.observeAll();
  const [older = ''] = rollout.stored.all.keys();
  const plan = await rollout.plan();
  const before = rollout.stored.all.get(older)?.children;

  interfere(rollout, older);

  await expect(plan.store(rollout.context)).rejects.toThrow();
  expect(rollout.stored.all.get(older)?.children).toEqual(
    rollout.stored.all.has(older) ? before : undefined,
  );
});

test('[metacontroller M14] a revision that was changed meanwhile is not deleted', async () => {
  const rollout = new Rollout({ update: 'rolling-apply', names: ['a'] });
  await rollout.settle();
  rollout.edit({ taste: 'sour' });
  const [older = ''] = rollout.stored.all.keys();
  const plan = await rollout.plan();

  rollout.stored.change(older, (held) => held);

  await expect(plan.store(rollout.context)).rejects.toThrow('Conflict');
  expect(rollout.stored.all.has(older)).toBe(true);
});

test('deleting a revision that is already gone causes no error', async () => {
  const rollout = new Rollout({ update: 'rolling-apply', names: ['a'] });
  await rollout.settle();
  rollout.edit({ taste: 'sour' });
  const [older = ''] = rollout.stored.all.keys();
  const plan = await rollout.plan();

  rollout.stored.delete(older);
  await plan.store(rollout.context);

  expect(rollout.stored.all.size).toBe(1);
});

test('revisions of another parent, or without a controller, are not changed', async () => {
  const rollout = new Rollout({ update: 'rolling-apply' });
  rollout.stored.create(revision('of-another', 'sour', ['a'], { ...NORTH, uid: 'other' }));
  rollout.stored.create(revision('orphan', 'sour', ['a']));
  rollout.stored.create(revision('owned', 'sour', ['a'], { ...NORTH, controller: false }));

  await rollout.reconcile();

  expect(rollout.asked).toHaveLength(1);
  expect(rollout.stored.writes.slice(3)).toEqual([expect.stringMatching(/^create orchards/)]);
});

test('a revision that has no controller and matches the selector is adopted and used', async () => {
  const rollout = withSelector();
  await rollout.settle();
  rollout.stored.all.clear();
  rollout.stored.create(revision('orphan', 'sour', ['b', 'c']));
  rollout.stored.create(revision('bound', 'bitter', ['a'], { ...NORTH, uid: 'other' }));

  await rollout.reconcile();

  expect(rollout.asked.map(({ taste }) => taste)).toEqual(['sweet', 'sour']);
  // Both children are sweet already, so that the revision has none and goes.
  expect(rollout.stored.writes.slice(-3)).toEqual([
    'patch orphan',
    expect.stringMatching(/^create orchards/),
    'delete orphan',
  ]);
});

test.each([
  [
    'is being deleted',
    (rollout: Rollout) => ({ ...rollout.parent.metadata, deletionTimestamp: 'now' }),
  ],
])('a parent that %s adopts no revision', async (_, metadataOf) => {
  const rollout = withSelector();
  rollout.stored.create(revision('orphan', 'sour', ['b', 'c']));
  rollout.parent = { ...rollout.parent, metadata: metadataOf(rollout) };

  expect((await rollout.read()).asked).toHaveLength(1);
  expect(rollout.stored.writes).toEqual(['create orphan']);
});

test('if the API server reports that the parent is deleted, no revision is adopted', async () => {
  const rollout = withSelector();
  rollout.stored.create(revision('orphan', 'sour', ['b', 'c']));
  const { context } = rollout;
  const client = { ...context.client, find: async () => undefined };

  const live = await rollout.revisions.read(rollout.parent, { ...context, client } as never);

  expect(live.asked).toHaveLength(1);
  expect(rollout.stored.writes).toEqual(['create orphan']);
});

test('if the labels of a revision are removed, the labels are restored, and the parent is reconciled again', async () => {
  const rollout = new Rollout({ names: ['a'] });
  await rollout.settle();
  const [name = ''] = rollout.stored.all.keys();
  const shown = rollout.stored.all.get(name) ?? expect.unreachable();
  rollout.stored.change(name, (held) => ({
    ...held,
    metadata: { ...held.metadata, labels: {}, ownerReferences: [] },
  }));

  await expect(rollout.reconcile()).rejects.toMatchObject({
    name: 'NotReadyError',
    context: { revision: name },
  });

  const { labels, ownerReferences } = rollout.stored.all.get(name)?.metadata ?? {};
  expect({ labels, ownerReferences }).toEqual({
    labels: shown.metadata.labels,
    ownerReferences: shown.metadata.ownerReferences,
  });
  await rollout.reconcile();
});

test('a revision is an error if its content does not match its name', async () => {
  const rollout = new Rollout();
  await rollout.settle();
  const [name = ''] = rollout.stored.all.keys();
  const parentPatch = { spec: { taste: 'forged' } };
  rollout.stored.change(name, (held) => ({ ...held, parentPatch }));
  const before = rollout.children.writes.length;

  await expect(rollout.reconcile()).rejects.toMatchObject({
    code: 'DECODE',
    context: { revision: `farm/${name}` },
  });
  expect(rollout.children.writes).toHaveLength(before);
});

test('if an object of another owner has the name of a revision, this is an error', async () => {
  const rollout = new Rollout();
  const { name } = (await rollout.read()).asked[0] ?? expect.unreachable();
  rollout.stored.create(revision(name, 'sour', [], { ...NORTH, kind: 'Other', uid: 'other' }));

  await expect(rollout.reconcile()).rejects.toMatchObject({ name: 'AlreadyOwnedError' });
  expect(rollout.children.writes).toEqual([]);
});

test.each([
  ['without a patch', { parentPatch: undefined }],
  ['whose patch is a string', { parentPatch: 'sweet' }],
  ['with an object as children', { children: {} }],
  ['with a child without names', { children: [{ apiGroup: '', kind: 'Pod' }] }],
  ['with a number as a name', { children: [{ apiGroup: '', kind: 'Pod', names: [1] }] }],
  ['with null as a child', { children: [null] }],
])("a stored revision %s is an error for its parent, and the error contains the revision's name", async (_, broken) => {
  const rollout = new Rollout();
  rollout.stored.create({ ...revision('broken', 'sour', ['a'], NORTH), ...broken } as Held);

  await expect(rollout.read()).rejects.toMatchObject({
    code: 'DECODE',
    context: { revision: 'farm/broken' },
  });
});

test('a revision in the format `chancery` with invalid children is an error for its parent', async () => {
  const rollout = new Rollout({ format: 'chancery' });
  await rollout.settle();
  const [name = ''] = rollout.stored.all.keys();
  rollout.stored.change(name, (held) => ({
    ...held,
    metadata: { ...held.metadata, annotations: { 'chancery.dev/revision-children': '[{' } },
  }));

  await expect(rollout.read()).rejects.toMatchObject({ code: 'DECODE', layer: 'api-server' });
});

test('two stored revisions with the same content are merged into one', async () => {
  const rollout = withSelector();
  await rollout.settle();
  rollout.stored.all.clear();
  rollout.stored.create(revision('first', 'sweet', ['a'], NORTH));
  rollout.stored.create(revision('second', 'sweet', ['b', 'c'], NORTH));

  await rollout.reconcile();

  expect(
    [...rollout.stored.all.values()].map(({ metadata, children }) => [metadata.name, children]),
  ).toEqual([['first', [{ apiGroup: '', kind: 'Pod', names: ['a', 'b', 'c'] }]]]);
});

test('no revision is written if only the order of its names differs, or if a kind has no names', async () => {
  const rollout = new Rollout();
  await rollout.settle();
  const [name = ''] = rollout.stored.all.keys();
  const children = [
    { apiGroup: 'apps', kind: 'Deployment', names: [] },
    { apiGroup: '', kind: 'Pod', names: ['c', 'a', 'b'] },
  ];
  rollout.stored.change(name, (held) => ({ ...held, children }));
  const before = rollout.stored.writes.length;

  await rollout.reconcile();

  expect(rollout.stored.writes).toHaveLength(before);
});

test('the controller reads only the revisions of its parents, and may write them', () => {
  const { wiring } = new Rollout().revisions;
  const cluster = new Rollout({ isClusterScoped: true, format: 'chancery' }).revisions.wiring;

  expect(wiring.reads).toEqual([
    expect.objectContaining({
      resource: expect.objectContaining({
        group: 'metacontroller.k8s.io',
        plural: 'controllerrevisions',
      }),
      namespace: 'configured',
      labelSelector:
        'metacontroller.k8s.io/apiGroup=fruit.example,metacontroller.k8s.io/resource=orchards',
    }),
  ]);
  expect(cluster.reads).toEqual([
    expect.objectContaining({
      resource: expect.objectContaining({ group: 'apps' }),
      namespace: { name: 'system' },
      labelSelector: 'chancery.dev/revision-of=orchards',
    }),
  ]);
  expect(
    wiring.permissions?.map(({ resource, subresource, verbs }) => [
      resource.plural,
      subresource,
      verbs,
    ]),
  ).toEqual([
    ['controllerrevisions', undefined, ['create', 'patch', 'delete']],
    ['orchards', 'status', ['patch']],
  ]);
  expect(cluster.permissions?.[0]).toMatchObject({ namespaces: ['system'] });
});
