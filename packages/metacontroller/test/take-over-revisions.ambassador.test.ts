/** Parents with rolling updates change from Metacontroller to this program, and back. */
import { eventually, withoutServerFields } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  FRUIT_DEFINITIONS,
  type Orchard,
  orchards,
  Planted,
  treesOf,
} from '../../../test/support/orchards.ts';
import { composite } from './support/farm.ts';
import {
  type Left,
  leaveBehind,
  originalName,
  originalRevision,
  originalStatus,
  originalTree,
} from './support/original-orchards.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import { pathOf } from './support/subject.ts';

const METHODS = ['RollingInPlace', 'RollingRecreate'] as const;
const NAMES = ['elm', 'ash', 'oak'];
const REVISION = ['metacontroller.k8s.io/v1alpha1', 'ControllerRevision'] as const;
const TREE = ['fruit.example/v1', 'Tree'] as const;

function sync({ parent }: { readonly parent: Orchard }): object {
  const children = treesOf(parent).map((tree) => ({
    apiVersion: 'fruit.example/v1',
    kind: 'Tree',
    ...tree,
  }));
  return { status: { trees: children.length }, children };
}

async function startStopped(method: (typeof METHODS)[number]): Promise<MetacontrollerPlace> {
  const conditions = [{ type: 'Ready', status: 'True' }];
  const object = composite('orchards', {
    generateSelector: true,
    parentResource: { apiVersion: 'fruit.example/v1', resource: 'orchards' },
    childResources: [
      {
        apiVersion: 'fruit.example/v1',
        resource: 'trees',
        updateStrategy: { method, statusChecks: { conditions } },
      },
    ],
  });
  return startMetacontroller({
    subjects: [{ object, hooks: { sync: { decide: sync } } }],
    definitions: FRUIT_DEFINITIONS,
    stopped: true,
  });
}

async function createParent(place: MetacontrollerPlace, taste: string): Promise<Orchard> {
  return place.env.create<Orchard>({
    apiVersion: 'fruit.example/v1',
    kind: 'Orchard',
    metadata: { name: 'north', namespace: place.namespace },
    spec: { taste, trees: NAMES },
  });
}

/** What was written but for the conditions of the controllers. */
function writesToOrchards(place: MetacontrollerPlace): readonly string[] {
  return place.writes().filter((write) => !write.includes('compositecontrollers'));
}

async function asked(place: MetacontrollerPlace): Promise<void> {
  const path = pathOf('orchards', 'sync');
  await eventually(() => place.server.calls(path).length > 0, PATIENT);
  await place.idle();
}

test.each(
  METHODS,
)('[metacontroller 28] a rolling update that Metacontroller finished causes no write and no delete (%s)', async (method) => {
  const place = await startStopped(method);
  const parent = await createParent(place, 'sweet');
  await leaveBehind(place, parent, [
    originalRevision(parent, parent.spec, ['oak', 'elm', 'ash']),
    ...NAMES.map((name) => originalTree(parent, name, 'sweet')),
  ]);

  place.startOperator();
  await asked(place);

  expect(writesToOrchards(place)).toEqual([]);
});

test.each(
  METHODS,
)('[metacontroller 28] [metacontroller M1] a rolling update that Metacontroller left unfinished continues (%s)', async (method) => {
  const place = await startStopped(method);
  const parent = await createParent(place, 'sour');
  const before = { ...parent.spec, taste: 'sweet' };
  await leaveBehind(place, parent, [
    originalRevision(parent, before, ['ash', 'oak']),
    originalRevision(parent, parent.spec, ['elm']),
    originalTree(parent, 'elm', 'sour'),
    originalTree(parent, 'ash', 'sweet'),
    originalTree(parent, 'oak', 'sweet'),
  ]);
  const planted = new Planted(place, orchards);
  for (const name of NAMES) await planted.makeReady(name);

  place.startOperator();
  await planted.updatedIs('RolloutWaiting', 'ash');
  const one = await planted.tastes();
  await eventually(() => planted.tree('ash'), PATIENT);
  await planted.makeReady('ash');
  await planted.updatedIs('OnLatestRevision');
  await eventually(() => planted.tree('oak'), PATIENT);

  expect(one.filter((taste) => taste.endsWith('sweet'))).toEqual(['oak sweet']);
  expect(await stored(place, REVISION)).toMatchObject([
    {
      metadata: { name: originalName(parent, parent.spec) },
      children: [{ names: ['elm', 'ash', 'oak'] }],
    },
  ]);
});

test.each(
  METHODS,
)('[metacontroller 28] revisions and children are stored in the same format as by Metacontroller (%s)', async (method) => {
  const place = await startStopped(method);
  const created = await createParent(place, 'sweet');
  place.startOperator();
  const planted = new Planted(place, orchards);
  await planted.updatedIs('OnLatestRevision');
  await place.idle();

  const parent = (await planted.parent()) ?? expect.unreachable();
  expect(await stored(place, REVISION)).toEqual([originalRevision(created, created.spec, NAMES)]);
  expect(await stored(place, TREE)).toEqual(
    NAMES.toSorted().map((name) => originalTree(created, name, 'sweet')),
  );
  expect(parent.status).toEqual(originalStatus(created));
});

/** Objects by name, without what the server sets. */
async function stored(
  place: MetacontrollerPlace,
  [apiVersion, kind]: readonly [string, string],
): Promise<readonly unknown[]> {
  const all = await place.env.list(apiVersion, kind, place.namespace);
  const byName = all.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return byName.map((object) => withOwners(object as unknown as Left));
}

function withOwners(object: Left): unknown {
  const { ownerReferences } = object.metadata as { readonly ownerReferences?: unknown };
  const { metadata, ...fields } = withoutServerFields(object as never) as unknown as Left;
  return { ...fields, metadata: { ...metadata, ownerReferences } };
}
