import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { composite, definition } from './support/farm.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import { pathOf, type Subject } from './support/subject.ts';

const META = 'metacontroller.k8s.io/v1alpha1';
const CRDS = 'apiextensions.k8s.io/v1';
const GROUP = 'ctl.enisoc.com/v1';

const ORCHARDS = definition('Orchard', 'orchards');
const GARDENS = definition('Garden', 'gardens');

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface Parent {
  readonly parent: { readonly metadata: { readonly name: string; readonly uid: string } };
}

/** Its hook answers one ConfigMap for each parent, named after both. */
function growing(name: string, resource: string, labels?: Record<string, string>): Subject {
  const object = composite(name, {
    generateSelector: true,
    parentResource: { apiVersion: GROUP, resource },
    childResources: [
      { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'InPlace' } },
    ],
  });
  const metadata = { ...object.metadata, ...(labels && { labels }) };
  return { object: { ...object, metadata }, hooks: { sync: { decide: oneConfigMap(name) } } };
}

function oneConfigMap(controller: string) {
  return ({ parent }: Parent) => ({
    status: {},
    children: [
      {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { by: controller } },
        metadata: { name: `${parent.metadata.name}-by-${controller}` },
      },
    ],
  });
}

function parent(kind: string, name: string, spec: object = {}): KubernetesObject {
  return { apiVersion: GROUP, kind, metadata: { name }, spec } as KubernetesObject;
}

test("[contract 91] [contract 93] [contract 94] [metacontroller 20] [metacontroller M10] a controller starts when its parent's definition appears, even if the status is added later, and stops when the definition is deleted", async () => {
  const place = await startMetacontroller({
    subjects: [growing('orchards', 'orchards')],
    definitions: [ORCHARDS],
    options: { discoveryIntervalMs: 100 },
    stopped: true,
  });
  await place.env.delete(CRDS, 'CustomResourceDefinition', undefined, 'orchards.ctl.enisoc.com');
  const operator = place.startOperator();
  const absent = await readyIs(place, 'orchards', 'ParentNotServed');

  await place.env.apply([withoutStatus(ORCHARDS)]);
  const incomplete = await readyIs(place, 'orchards', 'NoStatusSubresource');
  await place.env.apply([ORCHARDS]);
  await readyIs(place, 'orchards', 'Started');
  await place.apply(parent('Orchard', 'north'));
  await eventually(() => configMap(place, 'north-by-orchards'), PATIENT);
  await place.env.delete(CRDS, 'CustomResourceDefinition', undefined, 'orchards.ctl.enisoc.com');
  await readyIs(place, 'orchards', 'ParentNotServed');

  expect(absent).toMatchObject({ status: 'False', message: expect.stringContaining('orchards') });
  expect(incomplete.message).toContain('no status subresource');
  expect(await reasonsOf(place, 'orchards')).toEqual(
    expect.arrayContaining(['CreateError', 'SyncError', 'Starting', 'Started', 'Stopped']),
  );
  expect(operator.log.filter(({ level }) => level === 'error')).toEqual([]);
});

test('[metacontroller 21] a deleted controller stops watching, and its children and the other controllers stay', async () => {
  const place = await startMetacontroller({
    subjects: [growing('orchards', 'orchards'), growing('gardens', 'gardens')],
    definitions: [ORCHARDS, GARDENS],
  });
  await place.apply(parent('Orchard', 'north'));
  await place.apply(parent('Garden', 'south'));
  await eventually(() => configMap(place, 'north-by-orchards'), PATIENT);
  await eventually(() => configMap(place, 'south-by-gardens'), PATIENT);

  await place.env.delete(META, 'CompositeController', undefined, 'orchards');
  await eventually(() => !watched(place).includes('orchards'), PATIENT);
  const before = place.server.calls(pathOf('orchards', 'sync')).length;
  await place.apply(parent('Orchard', 'north', { trees: 2 }));
  await place.apply(parent('Garden', 'east'));
  await eventually(() => configMap(place, 'east-by-gardens'), PATIENT);

  expect(watched(place)).toContain('gardens');
  expect(place.server.calls(pathOf('orchards', 'sync'))).toHaveLength(before);
  expect(await configMap(place, 'north-by-orchards')).toBeDefined();
  expect(place.operator.status.controllers.map(({ name }) => name)).not.toContain(
    'composite-orchards',
  );
});

test('[metacontroller 27] only controllers that match the configured label selector run', async () => {
  const place = await startMetacontroller({
    subjects: [
      growing('orchards', 'orchards', { team: 'farm' }),
      growing('gardens', 'gardens', { team: 'city' }),
    ],
    definitions: [ORCHARDS, GARDENS],
    options: { targetLabelSelector: 'team in (farm)' },
  });
  await place.apply(parent('Garden', 'south'));
  await place.apply(parent('Orchard', 'north'));

  await eventually(() => configMap(place, 'north-by-orchards'), PATIENT);
  const whileOther = watched(place);
  await label(place, 'gardens', 'farm');
  await eventually(() => configMap(place, 'south-by-gardens'), PATIENT);
  await label(place, 'orchards', 'city');
  await eventually(() => !watched(place).includes('orchards'), PATIENT);

  expect(whileOther).not.toContain('gardens');
  expect(watched(place)).toContain('gardens');
});

test('[contract 95] [contract 100] [metacontroller M7] a controller without a sync hook does not start, and does not affect other controllers', async () => {
  const rolling = composite('broken', {
    parentResource: { apiVersion: GROUP, resource: 'gardens' },
    childResources: [
      { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'RollingInPlace' } },
    ],
  });
  const place = await startMetacontroller({
    subjects: [{ object: rolling, hooks: {} }, growing('orchards', 'orchards')],
    definitions: [ORCHARDS, GARDENS],
  });
  await place.apply(parent('Garden', 'south'));
  await place.apply(parent('Orchard', 'north'));

  await eventually(() => configMap(place, 'north-by-orchards'), PATIENT);
  const condition = await readyIs(place, 'broken', 'NoHook');

  expect(condition.status).toBe('False');
  expect(await reasonsOf(place, 'broken')).toContain('CreateError');
  expect(watched(place)).not.toContain('gardens');
  expect(place.isRunning).toBe(true);
});

test('[contract 99] [metacontroller M12] a controller lists only children that belong to it, and only parents that its label selector matches', async () => {
  const { object, hooks } = growing('orchards', 'orchards');
  const spec = {
    ...object.spec,
    parentResource: {
      ...{ apiVersion: GROUP, resource: 'orchards' },
      labelSelector: { matchLabels: { kept: 'yes' } },
    },
  };
  const place = await startMetacontroller({
    subjects: [{ object: { ...object, spec }, hooks }],
    definitions: [ORCHARDS],
  });
  await place.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'of-somebody-else' },
  } as KubernetesObject);
  await place.apply(parent('Orchard', 'left'));
  const kept = parent('Orchard', 'north');
  await place.apply({ ...kept, metadata: { ...kept.metadata, labels: { kept: 'yes' } } });

  await eventually(() => configMap(place, 'north-by-orchards'), PATIENT);
  const sizes = await eventually(() => {
    const objects = Object.fromEntries(
      place.operator.status.sources.map(({ resource, objects }) => [resource, objects]),
    );
    return objects.configmaps === 1 ? objects : undefined;
  }, PATIENT);

  expect(sizes).toMatchObject({ configmaps: 1, 'orchards.ctl.enisoc.com': 1 });
});

function withoutStatus(of: KubernetesObject): KubernetesObject {
  const copy = structuredClone(of) as KubernetesObject & {
    spec: { versions: { subresources?: object }[] };
  };
  for (const version of copy.spec.versions) delete version.subresources;
  return copy;
}

/** The plurals of parents that are watched now. */
function watched({ operator }: MetacontrollerPlace): readonly string[] {
  return operator.status.sources.map(({ resource }) => resource.split('.')[0] ?? '');
}

function configMap(place: MetacontrollerPlace, name: string): Promise<unknown> {
  return place.env.get('v1', 'ConfigMap', place.namespace, name);
}

async function label(place: MetacontrollerPlace, name: string, team: string): Promise<void> {
  const known = await place.env.get<KubernetesObject>(META, 'CompositeController', undefined, name);
  if (known === undefined) throw new Error(`no CompositeController ${name}`);
  const { managedFields: _, resourceVersion: __, ...metadata } = known.metadata;
  await place.env.apply([{ ...known, metadata: { ...metadata, labels: { team } } }]);
}

/** The condition Ready of a CompositeController, once it has this reason. */
function readyIs(place: MetacontrollerPlace, name: string, reason: string): Promise<Condition> {
  return eventually(async () => {
    const found = await place.env.get<
      KubernetesObject & { status?: { conditions?: readonly Condition[] } }
    >(META, 'CompositeController', undefined, name);
    const ready = found?.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.reason).toBe(reason);
    return ready as Condition;
  }, PATIENT);
}

/** Reasons of the Events about a CompositeController. */
async function reasonsOf(place: MetacontrollerPlace, name: string): Promise<readonly string[]> {
  return eventually(async () => {
    const all = await place.env.list<
      KubernetesObject & { reason: string; regarding: { name: string; kind: string } }
    >('events.k8s.io/v1', 'Event');
    const found = all.filter(({ regarding }) => regarding.name === name);
    expect(found.length).toBeGreaterThan(1);
    return found.map(({ reason }) => reason);
  }, PATIENT);
}
