/** Maps without a schema, in which our controller and other writers have fields beside each other. */
import { eventually } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { AppliedMemory } from '../../../operator/controller/children/applied-memory.ts';
import { statusWriter } from '../../../operator/controller/children/write-status.ts';
import type { Desired } from '../../../operator/controller/reconciler.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { type Family, startFamily } from '../../support/owner-and-children.ts';
import { definition, resourceOf } from '../../support/two-writers/shapes.ts';

const releases = resourceOf('releases', 'Release');

const values = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const chart = { type: 'object', properties: { name: { type: 'string' }, values } };
const charts = {
  ...{ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  items: { ...chart, required: ['name'] },
};
const DEFINITION = definition('releases', 'Release', {
  type: 'object',
  properties: { values, charts },
});

const release = (stated: object): Desired<KubernetesObject> =>
  ({ metadata: { name: 'a' }, spec: stated }) as Desired<KubernetesObject>;

async function startReleases() {
  const family = await startFamily();
  await family.env.apply([DEFINITION]);
  const live = (): Promise<KubernetesObject | undefined> =>
    family.env.get('example.dev/v1', 'Release', family.namespace, 'a');
  return {
    ...family,
    state: (stated: object) => family.apply(releases, release(stated)),
    specNow: async () => (await live()) as unknown as { readonly spec?: object },
    /** Another writer merges this into the spec. */
    others: (change: object) =>
      family.env.patch('example.dev/v1', 'Release', family.namespace, 'a', { spec: change }),
  };
}

const rollouts = resourceOf('rollouts', 'Rollout');

const STEPS = { ...charts, items: { ...chart, required: ['name'] } };
const ROLLOUT_DEFINITION = definition(
  'rollouts',
  'Rollout',
  { type: 'object' },
  { ...values, properties: { steps: STEPS } },
);

/** A Rollout, whose status our controller and others write. */
async function startRollouts() {
  const { env, namespace, client, clock, writes } = await startFamily();
  await env.apply([ROLLOUT_DEFINITION]);
  const named = { namespace, name: 'a' };
  const kind = { apiVersion: 'example.dev/v1', kind: 'Rollout' };
  // A real API server shows a new kind in its discovery a while after it has established it.
  await eventually(() =>
    env.get('example.dev/v1', 'Rollout', namespace, 'none').then(
      () => true,
      () => false,
    ),
  );
  await env.create({ ...kind, metadata: named } as KubernetesObject);
  const object = (): Promise<KubernetesObject> => client.get(rollouts, named);
  let memory = new AppliedMemory();
  return {
    object,
    writes,
    /** @param given - as a cache shows it; default: as the server has it. */
    async state(status: object, given?: KubernetesObject) {
      const parts = { resource: rollouts, client, clock, memory, fieldManager: 'tester' };
      return statusWriter({ ...parts, object: given ?? (await object()) })(status as never);
    },
    restart: () => {
      memory = new AppliedMemory();
    },
    /** The status but for the generation that it is about. */
    async statusNow() {
      const { status } = (await object()) as unknown as { readonly status?: object };
      const { observedGeneration: _, ...rest } = { observedGeneration: 0, ...status };
      return rest as { readonly seen?: unknown };
    },
    version: async () => (await object()).metadata.resourceVersion,
    /** Another writer merges this into the status. */
    others: (change: object) =>
      env.patch('example.dev/v1', 'Rollout', namespace, 'a', { status: change }, 'status'),
  };
}

function withoutOwners({ metadata, ...rest }: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

test.each([
  ['one process', false],
  ['a process that starts anew', true],
])("[K-35] when a map is no longer applied, other managers' fields in the map stay, with %s", async (_, restarts) => {
  const { state, others, specNow, restart } = await startReleases();
  await state({ values: { web: { port: 80, tls: { on: true } }, log: 'debug' } });
  await others({ values: { web: { tls: { issuer: 'theirs' } } } });
  if (restarts) restart();

  await state({ values: { log: 'debug' } });

  expect((await specNow()).spec).toEqual({
    values: { web: { tls: { issuer: 'theirs' } }, log: 'debug' },
  });
});

test("[K-35] when an empty map is no longer applied, other managers' fields in the map stay", async () => {
  const { state, others, specNow } = await startReleases();
  await state({ values: { web: {} } });
  await state({ values: { web: {}, log: 'info' } });
  await others({ values: { web: { port: 81 } } });

  await state({ values: { log: 'info' } });

  expect((await specNow()).spec).toEqual({ values: { web: { port: 81 }, log: 'info' } });
});

test("[K-35] other managers' fields in an applied list item stay, and are removed with the item", async () => {
  const { state, others, specNow } = await startReleases();
  const values = { web: { port: 80 } };
  await state({
    charts: [
      { name: 'x', values },
      { name: 'y', values },
    ],
  });
  const theirs = { web: { port: 80, host: 'theirs' } };
  await others({
    charts: [
      { name: 'x', values: theirs },
      { name: 'y', values: theirs },
    ],
  });

  await state({ charts: [{ name: 'x', values: {} }] });

  expect((await specNow()).spec).toEqual({
    charts: [{ name: 'x', values: { web: { host: 'theirs' } } }],
  });
});

test('[K-33] a map that is no longer applied is removed if no other manager has fields in it', async () => {
  const { state, others, specNow } = await startReleases();
  await state({ values: { web: { port: 80, tls: { on: true } } } });
  await others({ values: { theirs: { port: 1 } } });

  await state({});

  expect((await specNow()).spec).toEqual({ values: { theirs: { port: 1 } } });
});

describe('[K-35] fields of other managers in a status', () => {
  test.each([
    ['one process', false, false],
    ['a process that starts anew', true, false],
    ['a process whose cache has no managedFields', false, true],
  ])("when a status map is no longer set, other managers' fields in it stay, with %s", async (_, restarts, drops) => {
    const { state, others, statusNow, restart, object } = await startRollouts();
    const given = async () => (drops ? withoutOwners(await object()) : object());
    await state({ seen: { web: { port: 80, tls: { on: true } }, log: 'debug' } });
    await others({ seen: { web: { tls: { issuer: 'theirs' } } } });
    if (restarts) restart();

    await state({ seen: { log: 'debug' } }, await given());
    await state({}, await given());

    expect(await statusNow()).toEqual({ seen: { web: { tls: { issuer: 'theirs' } } } });
  });

  test("other managers' fields in a list item of the status stay while the item is set", async () => {
    const { state, others, statusNow } = await startRollouts();
    const values = { web: { port: 80 } };
    await state({
      steps: [
        { name: 'x', values },
        { name: 'y', values },
      ],
    });
    const theirs = { web: { port: 80, host: 'theirs' } };
    await others({
      steps: [
        { name: 'x', values: theirs },
        { name: 'y', values: theirs },
      ],
    });

    await state({ steps: [{ name: 'x' }] });

    expect(await statusNow()).toEqual({
      steps: [{ name: 'x', values: { web: { host: 'theirs' } } }],
    });
  });

  test("other managers' fields in the status stay even if the cache does not have them yet", async () => {
    const { state, others, object, statusNow } = await startRollouts();
    await state({ seen: { port: 80 } });
    const late = await object();
    await others({ seen: { host: 'theirs' } });

    await state({}, late);

    expect(await statusNow()).toEqual({ seen: { host: 'theirs' } });
  });

  test("other managers' fields in the status stay even if the cache lacks the controller's last write", async () => {
    const { state, others, object, statusNow } = await startRollouts();
    const late = await object();
    await state({ seen: { port: 80 } });
    await others({ seen: { host: 'theirs' } });

    await state({ pages: 1 }, late);

    expect(await statusNow()).toEqual({ seen: { host: 'theirs' }, pages: 1 });
  });

  test("other managers' fields in the status stay even if the conditions change as well", async () => {
    const { state, others, statusNow } = await startRollouts();
    const ready = { type: 'Ready', status: 'True', reason: 'Said', message: '' };
    await state({ seen: { port: 80 }, conditions: [ready] });
    await others({ seen: { host: 'theirs' } });

    await state({ conditions: [ready, { ...ready, type: 'Built' }] });

    expect(await statusNow()).toMatchObject({ seen: { host: 'theirs' } });
    expect(Object.keys((await statusNow())?.seen as object)).toEqual(['host']);
  });

  test('[K-50] a status map that is no longer set is removed after other managers removed their fields', async () => {
    const { state, others, statusNow } = await startRollouts();
    await state({ seen: { port: 80 }, own: { tls: { on: true } } });
    await others({ seen: { host: 'theirs' } });
    await state({ seen: {}, pages: 1 });
    await others({ seen: { host: null } });

    await state({ pages: 2 });

    expect(await statusNow()).toEqual({ pages: 2 });
  });

  test('[K-44] an unchanged status causes no request, and after a restart no change of the object', async () => {
    const { state, others, restart, version, writes } = await startRollouts();
    await state({ seen: { port: 80 } });
    await others({ seen: { host: 'theirs' } });
    await state({});
    const before = [writes().length, await version()];

    await state({});
    const after = [writes().length, await version()];
    restart();
    await state({});

    expect(after).toEqual(before);
    expect(await version()).toBe(before[1]);
  });
});

test('an apply of a built-in kind needs no extra read', async () => {
  const family: Family = await startFamily();
  const data = (value: string) => ({ metadata: { name: 'a' }, data: { value } });
  await family.apply(configMaps, data('1'));
  await family.apply(configMaps, data('2'));
  const before = family.requests().length;

  await family.apply(configMaps, data('3'));

  expect(family.requests().slice(before)).toEqual(['get a', 'patch a']);
});
