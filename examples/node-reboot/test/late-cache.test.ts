import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { BEFORE_REBOOT, PHASE, REBOOT_IN_PROGRESS } from '../protocol.ts';
import { type Cluster, needReboot, startCluster } from './cluster.ts';
import { annotation, isOk, neverChosen } from './node-facts.ts';

const MINUTE = 60_000;

/** How many there were; those of `result` alone, such as `requeue_after`: they said when to look again. */
function reconciles({ place }: Cluster, result = ''): number {
  const ofOne = 'controller_runtime_reconcile_total{controller="node-reboot"';
  return Object.entries(place.operator.meter.snapshot())
    .filter(([series]) => series.startsWith(ofOne) && series.includes(result))
    .reduce((sum, [, count]) => sum + Number(count), 0);
}

test('no second Node is chosen for a reboot, even if the cache does not yet contain the choice of the first Node', async () => {
  const settings = { REBOOT_WINDOW_START: '13:00', REBOOT_WINDOW_LENGTH: '2h' };
  const cluster = await startCluster({ agents: false, settings });
  const { clock, place } = cluster;
  await needReboot(cluster, 'node-1', 'node-2');
  await eventually(() => reconciles(cluster, 'requeue_after') >= 2);

  place.env.server.setCacheLag(60_000);
  await cluster.label('node-1', { [BEFORE_REBOOT]: 'true' }); // by the leader before this one
  const before = reconciles(cluster);
  clock.advance(61 * MINUTE);
  await eventually(() => reconciles(cluster) >= before + 2);
  expect(neverChosen(cluster, 'node-2')).toBe(true);
  place.env.server.setCacheLag(0);
  await place.operator.kill(); // after such a leap its watches would begin anew at their leisure
  place.startOperator();

  await eventually(() => isOk(cluster, 'node-1'));
  expect(neverChosen(cluster, 'node-2')).toBe(true);
});

test('FL8: a permission that was just used is not withdrawn, even if the cache does not yet show the use', async () => {
  const cluster = await startCluster({ agents: false });
  const { clock, passing, place } = cluster;
  await needReboot(cluster, 'node-1');
  await eventually(() => isOk(cluster, 'node-1'));
  await eventually(() => reconciles(cluster, 'requeue_after') >= 1);

  place.env.server.setCacheLag(60_000);
  await cluster.annotate('node-1', { [REBOOT_IN_PROGRESS]: 'true' });
  const patches = place.writes().length;
  clock.advance(61 * MINUTE);
  await eventually(() => place.writes().length > patches);
  expect(await isOk(cluster, 'node-1')).toBe(true);
  place.env.server.setCacheLag(0);

  await passing(async () => (await annotation(cluster, 'node-1', PHASE)) === 'TimedOut');
  expect(await isOk(cluster, 'node-1')).toBe(true);
});
