/** Rolling updates of CompositeControllers, under the rights that are generated for them. */
import { expect, test } from 'vitest';
import { FIRST_NAMESPACE } from '../../../examples/testing/cluster.ts';
import {
  FRUIT_DEFINITIONS,
  forests,
  type Orchard,
  orchards,
  Planted,
  treesOf,
} from '../../../test/support/orchards.ts';
import {
  continuesAtTheSameChild,
  movesFiveOneByOne,
  type Started,
  takesASecondChange,
} from '../../../test/support/rolling-scenarios.ts';
import { composite } from './support/farm.ts';
import { startMetacontroller } from './support/place.ts';
import type { SubjectHook } from './support/subject.ts';
import { Reply } from './support/webhooks.ts';

type Method = 'RollingInPlace' | 'RollingRecreate';

/** The hook answers no status: the condition is all that there is. */
function sync({ parent }: { readonly parent: Orchard }): object {
  const children = treesOf(parent).map((tree) => ({
    apiVersion: 'fruit.example/v1',
    kind: 'Tree',
    ...tree,
  }));
  return { children };
}

function orchardController(parent: typeof orchards, method: Method) {
  const conditions = [{ type: 'Ready', status: 'True' }];
  const updateStrategy = { method, statusChecks: { conditions } };
  return composite('orchards', {
    generateSelector: true,
    parentResource: { apiVersion: 'fruit.example/v1', resource: parent.plural },
    childResources: [{ apiVersion: 'fruit.example/v1', resource: 'trees', updateStrategy }],
  });
}

async function start(
  parent: typeof orchards,
  method: Method,
  decide: SubjectHook['decide'] = sync,
): Promise<Started> {
  const place = await startMetacontroller({
    subjects: [{ object: orchardController(parent, method), hooks: { sync: { decide } } }],
    definitions: FRUIT_DEFINITIONS,
  });
  const revisions = async (): Promise<number> => {
    const version = 'metacontroller.k8s.io/v1alpha1';
    return (await place.env.list(version, 'ControllerRevision', FIRST_NAMESPACE)).length;
  };
  return { place, planted: new Planted(place, parent), revisions };
}

test.each([
  ['namespaced', orchards],
  ['cluster-scoped', forests],
] as const)('[contract 67] [contract 68] [contract 69] [metacontroller 5] [metacontroller M1] [metacontroller M20] RollingRecreate recreates five children of a %s parent one by one', async (_, parent) => {
  await movesFiveOneByOne(await start(parent, 'RollingRecreate'));
});

test('[metacontroller 6] [metacontroller M13] RollingInPlace changes three children one by one, even if a second change happens in the middle', async () => {
  await takesASecondChange(await start(orchards, 'RollingInPlace'));
});

test.each([
  'RollingInPlace',
  'RollingRecreate',
] as const)('[contract 102] [metacontroller 25] after a process is killed, the next process continues the update at the same child (%s)', async (method) => {
  await continuesAtTheSameChild(await start(orchards, method));
});

test.each([
  ['null', new Reply(200, 'null')],
  ['no children', new Reply(200, '{"status": {}}')],
  ['an error', new Reply(500, 'broken')],
])('[metacontroller M7] [metacontroller 10] if the answer for a new revision is %s, no child is updated, and no revision is stored', async (_, reply) => {
  const decide = (request: { readonly parent: Orchard }): unknown =>
    request.parent.spec.taste === 'sour' ? reply : sync(request);
  const { place, planted, revisions } = await start(orchards, 'RollingInPlace', decide);
  await planted.plant(['elm', 'ash']);

  await planted.edit({ taste: 'sour' });
  const told = await place.told('SyncError');
  const tastes = await planted.tastes();
  const stored = await revisions();
  await planted.edit({ taste: 'bitter' });
  await planted.updatedIs('RolloutWaiting', 'elm');

  expect(told).toMatchObject([{ type: 'Warning' }]);
  expect(tastes).toEqual(['ash sweet', 'elm sweet']);
  expect(stored).toBe(1);
  expect(await planted.tastes()).toEqual(['ash sweet', 'elm bitter']);
});
