import { consistently, eventually } from 'chancery/testing';
import { expect, test } from 'vitest';
import { BEFORE_REBOOT, PHASE, REBOOT_IN_PROGRESS } from '../protocol.ts';
import { type Cluster, needReboot, startCluster } from './cluster.ts';
import { annotation, isOk, neverChosen } from './node-facts.ts';

const MINUTE = 60_000;

/** Those that have said when to look again. */
function reconcilesThatWait({ place }: Cluster): number {
  const series =
    'controller_runtime_reconcile_total{controller="node-reboot",result="requeue_after"}';
  return Number(place.operator.meter.snapshot()[series] ?? 0);
}

test('a place that was given a moment ago, which the cache does not show, is not given twice', async () => {
  const settings = { REBOOT_WINDOW_START: '13:00', REBOOT_WINDOW_LENGTH: '2h' };
  const cluster = await startCluster({ agents: false, settings });
  const { clock, passing, place } = cluster;
  await needReboot(cluster, 'node-1', 'node-2');
  const seen = () => reconcilesThatWait(cluster);
  await eventually(() => seen() >= 2);

  place.env.server.setCacheLag(60_000);
  await cluster.label('node-1', { [BEFORE_REBOOT]: 'true' }); // by the leader before this one
  clock.advance(61 * MINUTE);
  await eventually(() => place.env.requests.count({ resource: 'nodes', verb: 'list' }) > 1);
  await consistently(() => neverChosen(cluster, 'node-2'), { forMs: 200 });
  place.env.server.setCacheLag(0);

  await passing(() => isOk(cluster, 'node-1'));
  expect(neverChosen(cluster, 'node-2')).toBe(true);
});

test('FL8: leave that was used a moment ago, which the cache does not show, is not taken back', async () => {
  const cluster = await startCluster({ agents: false });
  const { clock, passing, place } = cluster;
  await needReboot(cluster, 'node-1');
  await eventually(() => isOk(cluster, 'node-1'));
  await eventually(() => reconcilesThatWait(cluster) >= 1);

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
