/** Rolling updates of CompositeControllers, under the rights that are generated for them. */
import { test } from 'vitest';
import { FIRST_NAMESPACE } from '../../examples/testing/cluster.ts';
import {
  FRUIT_DEFINITIONS,
  forests,
  type Orchard,
  orchards,
  Planted,
  treesOf,
} from '../support/orchards.ts';
import {
  continuesAtTheSameChild,
  movesFiveOneByOne,
  type Started,
  takesASecondChange,
} from '../support/rolling-scenarios.ts';
import { composite } from './support/farm.ts';
import { startMetacontroller } from './support/place.ts';

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

async function start(parent: typeof orchards, method: Method): Promise<Started> {
  const place = await startMetacontroller({
    subjects: [{ object: orchardController(parent, method), hooks: { sync: { decide: sync } } }],
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
] as const)('[metacontroller 5] [metacontroller M1] [metacontroller M20] five children of a %s parent are recreated one by one', async (_, parent) => {
  await movesFiveOneByOne(await start(parent, 'RollingRecreate'));
});

test('[metacontroller 6] [metacontroller M13] three children are changed in place one by one, with another change in the middle', async () => {
  await takesASecondChange(await start(orchards, 'RollingInPlace'));
});

test.each([
  'RollingInPlace',
  'RollingRecreate',
] as const)('[metacontroller 25] the successor of a killed process continues at the same child (%s)', async (method) => {
  await continuesAtTheSameChild(await start(orchards, method));
});
