/** What answers of hooks do in a cluster, good ones and broken ones. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import type { MetacontrollerOptions } from '../src/supervisor/options.ts';
import { composite, definition } from './support/farm.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import type { Subject } from './support/subject.ts';
import { type Decide, type HookBody, Reply } from './support/webhooks.ts';

const API_VERSION = 'fruit.example/v1';
const ORCHARDS = definition('Orchard', 'orchards', { group: 'fruit.example' });

interface Orchard extends KubernetesObject {
  readonly status?: {
    readonly ready?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

interface Hooked {
  readonly version?: 'v1' | 'v2';
  /** Fields of the parent's rule. */
  readonly parent?: object;
  readonly spec?: object;
  /** The first answers. Default: two ConfigMaps. */
  readonly decide?: Decide;
  readonly finalize?: Decide;
  readonly customize?: Decide;
  readonly webhook?: object;
  readonly options?: Partial<MetacontrollerOptions>;
  readonly clock?: FakeClock;
}

/** One orchard whose hook first answers with two ConfigMaps, and then with what the test sets. */
async function startOrchard({ version = 'v2', parent, spec, options, ...hooked }: Hooked = {}) {
  let { decide = northMaps } = hooked;
  const { finalize, customize, webhook, clock } = hooked;
  const subject: Subject = {
    object: composite('orchards', {
      generateSelector: true,
      parentResource: { apiVersion: API_VERSION, resource: 'orchards', ...parent },
      childResources: [
        { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'InPlace' } },
      ],
      ...spec,
    }),
    hooks: {
      sync: { decide: (request) => decide(request), version, ...(webhook && { webhook }) },
      ...(finalize && { finalize: { decide: finalize, version } }),
      ...(customize && { customize: { decide: customize, version } }),
    },
    related: customize ? [{ apiVersion: 'v1', resource: 'configmaps' }] : [],
  };
  const place = await startMetacontroller({
    subjects: [subject],
    definitions: [ORCHARDS],
    workloads: false,
    ...(options && { options }),
    ...(clock && { clock }),
  });
  await place.apply(orchard('north'));
  await eventually(async () => (await mapsOf(place)).length === 2, PATIENT);
  await eventually(async () => (await orchardOf(place))?.status?.ready === 2, PATIENT);
  await place.idle();
  return {
    place,
    /** The hook answers so from now on, and is called. */
    answering: async (next: Decide): Promise<void> => {
      decide = next;
      await touch(place, { season: String(callsOf(place)) });
    },
  };
}

function twoMaps(parent: string): object {
  return { status: { ready: 2 }, children: [configMap(`${parent}-a`), configMap(`${parent}-b`)] };
}

/** What most hooks of these tests answer. */
function northMaps(): object {
  return twoMaps('north');
}

function orchard(name: string): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'Orchard',
    metadata: { name },
    spec: { trees: 2 },
  } as KubernetesObject;
}

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { trees: '1' } };
}

async function touch(
  { env, namespace }: MetacontrollerPlace,
  annotations: Readonly<Record<string, string>>,
  name: string = 'north',
): Promise<void> {
  await env.patch(API_VERSION, 'Orchard', namespace, name, { metadata: { annotations } });
}

function orchardOf(
  { env, namespace }: MetacontrollerPlace,
  name: string = 'north',
): Promise<Orchard | undefined> {
  return env.get<Orchard>(API_VERSION, 'Orchard', namespace, name);
}

async function mapsOf(
  { env, namespace }: MetacontrollerPlace,
  parent: string = 'north',
): Promise<readonly string[]> {
  const maps = await env.list<KubernetesObject>('v1', 'ConfigMap', namespace);
  return maps
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith(`${parent}-`))
    .sort();
}

async function conditionOf(place: MetacontrollerPlace, name: string = 'north') {
  const found = await orchardOf(place, name);
  return found?.status?.conditions?.find(({ type }) => type === 'Synced');
}

/** The message of the condition `Synced`, once it says that an answer was unusable. */
async function refusalOf(place: MetacontrollerPlace): Promise<string> {
  const condition = await eventually(() => conditionOf(place), PATIENT);
  expect(condition).toMatchObject({ status: 'False', reason: 'InvalidAnswer' });
  return condition.message;
}

function callsOf({ server }: MetacontrollerPlace): number {
  return server.calls('/orchards/sync').length;
}

/** Broken answers for an orchard, by its name, and what is said of each. */
const BROKEN: Readonly<Record<string, readonly [(parent: string) => unknown, string]>> = {
  empty: [() => ({}), 'children must be a list and is missing'],
  nothing: [() => ({ children: null }), 'children must be a list and is null'],
  'null-entry': [
    (parent) => ({ children: [configMap(`${parent}-a`), null] }),
    'children[1] must be an object and is null',
  ],
  undeclared: [
    (parent) => ({ children: [{ ...configMap(`${parent}-a`), kind: 'Secret' }] }),
    'children[0] is a Secret of v1, a type that the controller does not declare',
  ],
  html: [() => new Reply(200, '<html>sign in</html>'), 'it is HTML or XML, not JSON'],
  half: [() => new Reply(200, '{"children": [{"api'), 'it is not JSON'],
  'negative-delay': [
    () => ({ children: [], resyncAfterSeconds: -5 }),
    'resyncAfterSeconds is negative',
  ],
  'unknown-field': [() => ({ children: [], childs: [] }), 'it has the unknown field childs'],
};

test('[metacontroller 10] [metacontroller 11] [metacontroller M2] [metacontroller M18] [metacontroller M21] after an invalid answer no child is deleted, and a condition of the parent gives the reason', async () => {
  let isBroken = false;
  const { place } = await startOrchard({
    decide: ({ parent: { metadata } }) => {
      const [answer] = BROKEN[metadata.name] ?? [];
      return isBroken && answer !== undefined ? answer(metadata.name) : twoMaps(metadata.name);
    },
  });
  const names = Object.keys(BROKEN);
  const all = (state: (name: string) => Promise<boolean>): Promise<unknown> =>
    eventually(async () => (await Promise.all(names.map(state))).every(Boolean), PATIENT);
  const touchAll = (season: string) =>
    Promise.all(names.map((name) => touch(place, { season }, name)));
  for (const name of names) await place.apply(orchard(name));
  await all(async (name) => (await mapsOf(place, name)).length === 2);
  isBroken = true;
  await touchAll('winter');
  await all(async (name) => (await conditionOf(place, name)) !== undefined);
  const conditions = await Promise.all(names.map((name) => conditionOf(place, name)));
  const problems = Object.values(BROKEN).map(
    ([, problem]) => `the answer of the sync hook is unusable: ${problem}`,
  );
  await eventually(async () => (await place.told('SyncError')).length >= names.length, PATIENT);
  const notes = (await place.told('SyncError')).map(({ note }) => note);
  const kept = await Promise.all(names.map((name) => mapsOf(place, name)));
  isBroken = false;
  await touchAll('spring');
  await all(async (name) => (await conditionOf(place, name)) === undefined);

  expect(conditions).toMatchObject(
    problems.map((problem) => ({
      ...{ status: 'False', reason: 'InvalidAnswer' },
      message: expect.stringContaining(problem),
    })),
  );
  for (const problem of problems) {
    expect(notes).toContainEqual(expect.stringContaining(problem));
  }
  expect(kept).toEqual(names.map((name) => [`${name}-a`, `${name}-b`]));
});

test('[metacontroller 10] an empty list of children deletes every child', async () => {
  const { place, answering } = await startOrchard();

  await answering(() => ({ status: { ready: 0 }, children: [] }));
  await eventually(async () => (await orchardOf(place))?.status?.ready === 0, PATIENT);

  expect(await mapsOf(place)).toEqual([]);
  expect(await conditionOf(place)).toBeUndefined();
});

test('[metacontroller 10] with `emptyChildren: delete`, an answer without children deletes every child', async () => {
  const { place, answering } = await startOrchard({ options: { emptyChildren: 'delete' } });

  await answering(() => ({ status: { ready: 0 } }));

  await eventually(async () => (await mapsOf(place)).length === 0, PATIENT);
});

test.each([
  ['v1', {}],
  ['v2', { responseUnMarshallMode: 'loose' }],
] as const)('[metacontroller 11] a hook of version %s may answer with an unknown field, with the settings %j', async (version, webhook) => {
  const { place, answering } = await startOrchard({ version, webhook });

  await answering(() => ({ status: { ready: 1 }, children: [configMap('north-c')], trees: 5 }));

  await eventually(async () => (await orchardOf(place))?.status?.ready === 1, PATIENT);
  expect(await mapsOf(place)).toEqual(['north-c']);
});

test('[metacontroller M15] a hook can record Events if extensions are enabled', async () => {
  const { place, answering } = await startOrchard({ options: { extensions: true } });
  const events = [{ type: 'Warning', reason: 'LowStock', message: 'two trees are left' }];

  await answering(() => ({ ...northMaps(), events }));
  const told = await place.told('LowStock');

  expect(told).toEqual([{ type: 'Warning', reason: 'LowStock', note: 'two trees are left' }]);
});

test('[metacontroller M22] `finalized: true` from a sync hook does not remove the finalizer', async () => {
  const { place, answering } = await startOrchard({
    finalize: () => ({ finalized: true, children: [] }),
  });
  const before = place.writes().length;

  await answering(() => ({ ...northMaps(), status: { ready: 3 }, finalized: true }));
  await eventually(async () => (await orchardOf(place))?.status?.ready === 3, PATIENT);
  await place.idle();
  const finalizers = (await orchardOf(place))?.metadata.finalizers;
  const writes = place.writes().slice(before);
  await place.env.delete(API_VERSION, 'Orchard', place.namespace, 'north');
  await eventually(async () => (await orchardOf(place)) === undefined, PATIENT);

  expect(finalizers).toEqual(['metacontroller.io/compositecontroller-orchards']);
  // Of the status alone.
  expect(writes).toHaveLength(1);
});

test('with ignoreStatusChanges, the hook is called only if generation, labels or annotations of a parent change', async () => {
  const { place } = await startOrchard({ parent: { ignoreStatusChanges: true } });
  const { env, namespace } = place;
  const before = callsOf(place);

  await env.patch(API_VERSION, 'Orchard', namespace, 'north', {
    metadata: { finalizers: ['fruit.example/other'] },
  });
  await env.patch(API_VERSION, 'Orchard', namespace, 'north', {
    metadata: { labels: { region: 'north' } },
  });
  await eventually(() => callsOf(place) > before, PATIENT);
  await place.idle();
  const [call] = place.server.calls('/orchards/sync').slice(before);

  expect(callsOf(place)).toBe(before + 1);
  expect(call?.body.parent.metadata).toMatchObject({
    labels: { region: 'north' },
    finalizers: ['fruit.example/other'],
  });
});

test('with resyncPeriodSeconds, the hook is called even if no object changes', async () => {
  const clock = new FakeClock(Date.parse('2030-01-07T08:00:00Z'));
  const { place } = await startOrchard({ clock, spec: { resyncPeriodSeconds: 10 } });
  const before = callsOf(place);

  for (let passed = 0; passed < 30; passed++) await clock.advanceAndSettle(1_000);
  await eventually(() => callsOf(place) > before, PATIENT);
  await place.idle();

  // Every 10 s, plus or minus a tenth, and not for each of its children besides.
  expect(callsOf(place) - before).toBeGreaterThanOrEqual(2);
  expect(callsOf(place) - before).toBeLessThanOrEqual(3);
});

test("a request contains the controller's object with defaults, and keys in the format of the hook's version", async () => {
  const { place, answering } = await startOrchard({ version: 'v1' });

  await answering(northMaps);
  await place.idle();
  const body = place.server.calls('/orchards/sync').at(-1)?.body as
    | (HookBody & { readonly controller: { readonly spec: object } })
    | undefined;

  expect(Object.keys(body ?? {})).toEqual([
    ...['controller', 'parent', 'children', 'related', 'finalizing'],
  ]);
  expect(body?.controller).toMatchObject({
    kind: 'CompositeController',
    metadata: { name: 'orchards' },
    spec: {
      childResources: [{ updateStrategy: { method: 'InPlace', statusChecks: {} } }],
      hooks: { sync: { version: 'v1' } },
    },
    status: {},
  });
  expect(Object.keys(body?.children['ConfigMap.v1'] ?? {})).toEqual(['north-a', 'north-b']);
  expect(body?.children['ConfigMap.v1']?.['north-a']?.metadata).toHaveProperty('managedFields');
});

test('[metacontroller 19] a customize hook may answer with a bare list of rules', async () => {
  const { place, answering } = await startOrchard({
    customize: () => [{ apiVersion: 'v1', resource: 'configmaps', names: ['prices'] }],
  });
  const { namespace } = place;
  const related = () => {
    const body = place.server.calls('/orchards/sync').at(-1)?.body;
    return Object.keys(body?.related['ConfigMap.v1'] ?? { 'no type': {} });
  };
  const before = related();

  await place.apply(configMap('prices') as KubernetesObject);
  await eventually(() => related().length === 1, PATIENT);
  await answering(northMaps);

  expect(before).toEqual([]);
  expect(related()).toEqual([`${namespace}/prices`]);
});

test.each([
  [
    'names and a selector',
    { apiVersion: 'v1', resource: 'configmaps', names: ['a'], labelSelector: {} },
    'the rule for related configmaps has names and a labelSelector',
  ],
  [
    'a resource that is not served',
    { apiVersion: API_VERSION, resource: 'pears' },
    'the API server does not serve pears in fruit.example/v1',
  ],
])('[metacontroller 19] a related rule with %s makes the answer invalid', async (_, rule, problem) => {
  let relatedResources: readonly object[] = [];
  const { place, answering } = await startOrchard({ customize: () => ({ relatedResources }) });
  const { env, namespace } = place;

  relatedResources = [rule];
  // Rules are asked again when the generation changes.
  await env.patch(API_VERSION, 'Orchard', namespace, 'north', { spec: { trees: 3 } });
  const message = await refusalOf(place);
  relatedResources = [];
  await answering(northMaps);
  await eventually(async () => (await conditionOf(place)) === undefined, PATIENT);

  expect(message).toContain('the answer of the customize hook is unusable: relatedResources[0] ');
  expect(message).toContain(problem);
  expect(await mapsOf(place)).toEqual(['north-a', 'north-b']);
});
