/** Rolling updates of in-process composites, under generated rights. */
import { expect, test } from 'vitest';
import { FIRST_NAMESPACE } from '../../../../examples/testing/cluster.ts';
import { startExample } from '../../../../examples/testing/place.ts';
import { type Controller, child, composite } from '../../../../operator/index.ts';
import {
  FRUIT_DEFINITIONS,
  forests,
  type Orchard,
  orchards,
  Planted,
  trees,
  treesOf,
} from '../../../support/orchards.ts';

const FIVE = ['elm', 'ash', 'oak', 'fir', 'yew'];

function orchardController(
  parent: typeof orchards,
  update: 'rolling-apply' | 'rolling-recreate',
): Controller<Orchard> {
  return composite<Orchard>({
    name: 'orchards',
    parent,
    children: [{ resource: trees, update, statusChecks: [{ type: 'Ready', status: 'True' }] }],
    revisions: parent.namespaced ? {} : { namespace: FIRST_NAMESPACE },
    sync: (orchard) => ({ children: treesOf(orchard).map((tree) => child(trees, tree)) }),
  });
}

async function startOrchards(...given: Parameters<typeof orchardController>) {
  const place = await startExample({
    name: 'orchards',
    controllers: [orchardController(...given)],
    ownCluster: true,
    stopped: true,
  });
  await place.env.apply(FRUIT_DEFINITIONS);
  place.startOperator();
  return { place, planted: new Planted(place, given[0]) };
}

test.each([
  ['namespaced', orchards],
  ['cluster-scoped', forests],
] as const)('[metacontroller 5] [metacontroller M1] five children of a %s parent are recreated one by one', async (_, parent) => {
  const { place, planted } = await startOrchards(parent, 'rolling-recreate');
  await planted.plant(FIVE);

  await planted.edit({ taste: 'sour' });
  for (const [at, name] of FIVE.entries()) {
    const isLast = at === FIVE.length - 1;
    if (isLast) await planted.updatedIs('OnLatestRevision');
    else await planted.updatedIs('RolloutWaiting', `${name}: it has no condition`);
    expect(await planted.tastes()).toEqual(
      FIVE.map((each, index) => `${each} ${index <= at ? 'sour' : 'sweet'}`).sort(),
    );
    await planted.makeReady(name);
  }
  await place.idle();

  const moved = ['False RolloutProgressing', 'False RolloutWaiting'];
  expect(planted.updates()).toEqual([
    ...[...moved, ...moved, ...moved, ...moved],
    'False RolloutProgressing',
    'True OnLatestRevision',
  ]);
  expect(planted.mostAway()).toBe(1);
  const left = await place.env.list('apps/v1', 'ControllerRevision', place.namespace);
  expect(left).toHaveLength(1);
});
