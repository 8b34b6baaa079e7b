/** Rolling updates of in-process composites, under generated rights. */
import { expect, test } from 'vitest';
import { FIRST_NAMESPACE } from '../../../examples/testing/cluster.ts';
import { startExample } from '../../../examples/testing/place.ts';
import { type Controller, child, composite } from '../../../operator/index.ts';
import {
  FRUIT_DEFINITIONS,
  forests,
  type Orchard,
  orchards,
  Planted,
  trees,
  treesOf,
} from '../../support/orchards.ts';
import {
  continuesAtTheSameChild,
  movesFiveOneByOne,
  type Started,
  takesASecondChange,
} from '../../support/rolling-scenarios.ts';

type Update = 'rolling-apply' | 'rolling-recreate';

function orchardController(parent: typeof orchards, update: Update): Controller<Orchard> {
  return composite<Orchard>({
    name: 'orchards',
    parent,
    children: [{ resource: trees, update, statusChecks: [{ type: 'Ready', status: 'True' }] }],
    revisions: parent.namespaced ? { fieldPaths: ['spec.taste'] } : { namespace: FIRST_NAMESPACE },
    sync: (orchard) => ({ children: treesOf(orchard).map((tree) => child(trees, tree)) }),
  });
}

async function start(parent: typeof orchards, update: Update): Promise<Started> {
  const place = await startExample({
    name: 'orchards',
    controllers: [orchardController(parent, update)],
    restarted: () => ({ controllers: [orchardController(parent, update)] }),
    ownCluster: true,
    stopped: true,
  });
  await place.env.apply(FRUIT_DEFINITIONS);
  place.startOperator();
  const revisions = async (): Promise<number> =>
    (await place.env.list('apps/v1', 'ControllerRevision', FIRST_NAMESPACE)).length;
  return { place, planted: new Planted(place, parent), revisions };
}

test.each([
  ['namespaced', orchards],
  ['cluster-scoped', forests],
] as const)('[metacontroller 5] [metacontroller M1] five children of a %s parent are recreated one by one', async (_, parent) => {
  await movesFiveOneByOne(await start(parent, 'rolling-recreate'));
});

test('[metacontroller 6] [metacontroller M13] three children are changed in place one by one, with another change in between', async () => {
  await takesASecondChange(await start(orchards, 'rolling-apply'));
});

test.each([
  'rolling-apply',
  'rolling-recreate',
] as const)('[metacontroller 25] after a kill, the next process continues the update at the same child (%s)', async (update) => {
  await continuesAtTheSameChild(await start(orchards, update));
});

test('composite() refuses a cluster-scoped parent without a namespace for its revisions', () => {
  const children = [{ resource: trees, update: 'rolling-apply' as const }];
  const sync = () => ({ children: [] });

  expect(() => composite<Orchard>({ name: 'forests', parent: forests, children, sync })).toThrow(
    expect.objectContaining({ code: 'CONFIG', context: { controller: 'forests' } }),
  );
});
