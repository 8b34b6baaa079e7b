import { consistently, eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  AFTER_REBOOT,
  BEFORE_REBOOT,
  PHASE,
  REBOOT_NEEDED,
  REBOOT_OK,
  REBOOT_PAUSED,
  SINCE,
} from '../protocol.ts';
import { back, needReboot, startCluster } from './cluster.ts';
import { annotation, hasFinished, isOk } from './node-facts.ts';

test('acceptance 1: one Node at a time gets the label and then permission, and the next Node waits', async () => {
  const cluster = await startCluster({ agents: false });
  const { place, history } = cluster;

  await needReboot(cluster, 'node-1');
  await eventually(() => isOk(cluster, 'node-1'));
  await needReboot(cluster, 'node-2');
  await consistently(() => !history('node-2', BEFORE_REBOOT, REBOOT_OK).flat().length, {
    forMs: 200,
  });
  await back(cluster, 'node-1');
  await eventually(() => isOk(cluster, 'node-2'));
  await back(cluster, 'node-2');
  await eventually(() => hasFinished(cluster, 'node-2'));

  const way = [[BEFORE_REBOOT], [REBOOT_OK], [AFTER_REBOOT, REBOOT_OK], []];
  expect(history('node-1', BEFORE_REBOOT, AFTER_REBOOT, REBOOT_OK)).toEqual(way);
  expect(history('node-2', BEFORE_REBOOT, AFTER_REBOOT, REBOOT_OK)).toEqual(way);
  const { labels, annotations } = (await cluster.node('node-1')).metadata;
  expect(Object.keys({ ...labels, ...annotations })).not.toContain(BEFORE_REBOOT);
  expect(Object.keys({ ...labels, ...annotations })).not.toContain(PHASE);
  const told = await eventually(async () => {
    const all = await place.events();
    return all.length === 8 && all.map(({ reason }) => reason);
  });
  expect(told.slice(0, 4)).toEqual([
    'RebootScheduled',
    'RebootApproved',
    'Rebooted',
    'RebootFinished',
  ]);
});

test('FL1: answers of agents take effect at once, without waiting for a timer', async () => {
  const cluster = await startCluster();
  const startedAt = cluster.clock.now();

  await needReboot(cluster, 'node-1', 'node-2', 'node-3');
  for (const name of ['node-1', 'node-2', 'node-3']) {
    await eventually(() => hasFinished(cluster, name));
  }

  expect(cluster.clock.now()).toBe(startedAt);
  expect(await annotation(cluster, 'node-3', REBOOT_OK)).toBe('false');
  await eventually(async () => (await cluster.node('node-3')).spec?.unschedulable !== true);
});

test('FL6: no more Nodes than the setting allows reboot at the same time', async () => {
  const cluster = await startCluster({ agents: false, settings: { MAX_REBOOTING: '2' } });

  await needReboot(cluster, 'node-1', 'node-2', 'node-3');
  await eventually(async () => (await isOk(cluster, 'node-1')) && isOk(cluster, 'node-2'));

  await consistently(async () => !(await isOk(cluster, 'node-3')), { forMs: 200 });
  await cluster.place.env.delete('v1', 'Node', undefined, 'node-1'); // its place is free, too
  await eventually(() => isOk(cluster, 'node-3'));
});

test('acceptance 4: if more Nodes reboot than allowed, and the original operator would count one Node twice, only new reboots wait', async () => {
  const cluster = await startCluster({
    agents: false,
    settings: { AFTER_REBOOT_ANNOTATIONS: 'y' },
  });

  // Labelled, and marked again by hand: the original counts node-1 twice, and has -1 place left.
  await cluster.annotate('node-1', { [REBOOT_OK]: 'true', [REBOOT_NEEDED]: 'true' });
  await cluster.label('node-1', { [AFTER_REBOOT]: 'true' });
  await cluster.label('node-2', { [AFTER_REBOOT]: 'true' });
  await needReboot(cluster, 'node-3');
  await consistently(
    async () => !cluster.history('node-3', BEFORE_REBOOT, REBOOT_OK).flat().length,
    {
      forMs: 200,
    },
  );
  expect(cluster.place.operator.log.filter(({ level }) => level === 'error')).toEqual([]);
  await cluster.annotate('node-1', { y: 'true', [REBOOT_PAUSED]: 'true' });
  await cluster.annotate('node-2', { y: 'true' });

  await eventually(() => isOk(cluster, 'node-3'));
});

test('acceptance 5: without a relevant change, nothing is written, whatever other programs write', async () => {
  const cluster = await startCluster();
  const { place, clock } = cluster;
  await needReboot(cluster, 'node-1');
  await eventually(() => hasFinished(cluster, 'node-1'));
  const writes = place.writes().length;

  // A kubelet's heartbeats, somebody's annotation, and time.
  await place.env.patch('v1', 'Node', undefined, 'node-1', { status: {} }, 'status');
  await cluster.annotate('node-1', { 'example.com/note': 'hello' });
  for (let part = 0; part < 3; part++) clock.advance(1_200_000);

  await consistently(() => place.writes().length === writes, { forMs: 300 });
});

test('FL2: a reboot takes four patches of its Node, and no write of other Nodes', async () => {
  const cluster = await startCluster();
  const { env, namespace } = cluster.place;

  await needReboot(cluster, 'node-1');
  await eventually(() => hasFinished(cluster, 'node-1'));

  expect(cluster.place.writes()).toEqual(new Array(4).fill('patch nodes'));
  const user = `system:serviceaccount:${namespace}:node-reboot`;
  expect(env.requests.count({ user, resource: 'nodes', verb: 'get' })).toBe(0);
  expect(env.events.history('nodes', undefined, 'node-2')).toHaveLength(1);
});

test("FL8: the operator writes only Nodes, by patches that contain only the operator's own keys", async () => {
  const cluster = await startCluster({ agents: false });
  await needReboot(cluster, 'node-1');
  await eventually(() => isOk(cluster, 'node-1'));

  const { managedFields } = (await cluster.node('node-1')).metadata;

  expect(new Set(cluster.place.writes())).toEqual(new Set(['patch nodes']));
  const own = (managedFields as readonly Managed[]).filter(({ manager }) =>
    manager.includes('node-reboot'),
  );
  const fields = own.flatMap(({ fieldsV1 }) => leaves(fieldsV1));
  expect(fields.toSorted()).toEqual(
    [PHASE, SINCE, REBOOT_OK].map((name) => `f:metadata.f:annotations.f:${name}`).toSorted(),
  );
});

test('FL10: a Node whose write fails does not delay other Nodes', async () => {
  const cluster = await startCluster();
  // As full of annotations as the API server allows: not one more goes in.
  const { annotations = {} } = (await cluster.node('node-1')).metadata;
  const used = Object.entries({ ...annotations, full: '', [REBOOT_NEEDED]: 'true' })
    .map(([name, value]) => name.length + value.length)
    .reduce((sum, length) => sum + length, 0);
  await cluster.annotate('node-1', { [REBOOT_NEEDED]: 'true', full: 'x'.repeat(262_144 - used) });
  await eventually(() =>
    cluster.place.operator.log.some(({ message }) => message === 'reconcile failed'),
  );

  await needReboot(cluster, 'node-2', 'node-3');

  await eventually(() => hasFinished(cluster, 'node-2'));
  await eventually(() => hasFinished(cluster, 'node-3'));
  expect(await isOk(cluster, 'node-1')).toBe(false);
  // Of a step that was not written nothing is told.
  await eventually(async () => (await cluster.place.events('RebootFinished')).length === 2);
  expect(await cluster.place.told('RebootScheduled', 2)).toHaveLength(2);
});

interface Managed {
  readonly manager: string;
  readonly fieldsV1: Fields;
}

interface Fields {
  readonly [name: string]: Fields;
}

function leaves(fields: Fields, path: readonly string[] = []): string[] {
  return Object.entries(fields).flatMap(([name, below]) =>
    Object.keys(below).length === 0 ? [[...path, name].join('.')] : leaves(below, [...path, name]),
  );
}
