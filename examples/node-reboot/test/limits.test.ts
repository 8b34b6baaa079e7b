import { consistently, eventually, pod } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  BEFORE_REBOOT,
  PHASE,
  REBOOT_IN_PROGRESS,
  REBOOT_NEEDED,
  REBOOT_OK,
  REBOOT_PAUSED,
} from '../protocol.ts';
import { back, needReboot, startCluster } from './cluster.ts';
import { annotation, isLabelled, isOk, neverChosen, timeouts } from './node-facts.ts';

const MINUTE = 60_000;

test('acceptance 3: a paused Node is never chosen for a reboot, and a chosen Node that is paused before its reboot is not chosen any more', async () => {
  const cluster = await startCluster({
    agents: false,
    settings: { BEFORE_REBOOT_ANNOTATIONS: 'x' },
  });
  await cluster.annotate('node-1', { [REBOOT_PAUSED]: 'true' });

  await needReboot(cluster, 'node-1', 'node-2');
  await eventually(() => isLabelled(cluster, 'node-2', BEFORE_REBOOT));
  await cluster.annotate('node-2', { [REBOOT_PAUSED]: 'true' });
  await needReboot(cluster, 'node-3');
  await eventually(() => isLabelled(cluster, 'node-3', BEFORE_REBOOT));

  expect(await isLabelled(cluster, 'node-2', BEFORE_REBOOT)).toBe(false);
  expect(neverChosen(cluster, 'node-1')).toBe(true);
});

test('acceptance 3: outside the window, no reboot starts, and running reboots continue to their end', async () => {
  const settings = {
    REBOOT_WINDOW_START: 'Mon 14:00',
    REBOOT_WINDOW_LENGTH: '1h',
    REBOOT_WINDOW_TIME_ZONE: 'Europe/Berlin',
    REBOOT_TIMEOUT: '0',
  };
  // 13:30 in Berlin
  const cluster = await startCluster({
    agents: false,
    settings,
    startTime: '2030-01-07T12:30:00Z',
  });
  const { clock, passing, place } = cluster;

  await needReboot(cluster, 'node-1', 'node-2');
  await consistently(() => neverChosen(cluster, 'node-1'), { forMs: 200 });
  clock.advance(31 * MINUTE);
  await passing(async () => (await isOk(cluster, 'node-1')) || isOk(cluster, 'node-2'));
  const [running = '', waiting = ''] = (await isOk(cluster, 'node-1'))
    ? ['node-1', 'node-2']
    : ['node-2', 'node-1'];
  clock.advance(60 * MINUTE);
  await back(cluster, running);
  await passing(async () => !(await isOk(cluster, running)));
  await consistently(() => neverChosen(cluster, waiting), { forMs: 200 });

  await place.operator.kill(); // a week is long for a clock that somebody looks at all the time
  clock.advance(7 * 24 * 60 * MINUTE - 30 * MINUTE);
  place.startOperator();
  await passing(() => isOk(cluster, waiting));
});

test('acceptance 6, FL5: a Node that does not come back after its reboot is reported, and the next Node may reboot', async () => {
  const comesBack = (name: string) => name !== 'node-1';
  const cluster = await startCluster({
    agents: { comesBack },
    settings: { REBOOT_TIMEOUT: '45m' },
  });
  const { clock, passing, place } = cluster;
  await needReboot(cluster, 'node-1');
  await eventually(
    async () => (await annotation(cluster, 'node-1', REBOOT_IN_PROGRESS)) === 'true',
  );
  await needReboot(cluster, 'node-2');

  clock.advance(44 * MINUTE);
  await consistently(() => neverChosen(cluster, 'node-2'), { forMs: 200 });
  clock.advance(2 * MINUTE);
  await passing(async () => (await annotation(cluster, 'node-2', REBOOT_NEEDED)) === 'false');
  await passing(async () => (await timeouts(cluster)) === 1);

  expect(await place.told('RebootTimeout')).toMatchObject([
    { type: 'Warning', note: expect.stringContaining('in phase Rebooting') },
  ]);
  expect(await annotation(cluster, 'node-1', PHASE)).toBe('TimedOut');
  clock.advance(120 * MINUTE);
  await consistently(async () => (await timeouts(cluster)) === 1, { forMs: 200 });
  await back(cluster, 'node-1'); // by hand, a day later: it ends like any other
  await passing(async () => (await annotation(cluster, 'node-1', REBOOT_OK)) === 'false');
  expect(await annotation(cluster, 'node-1', PHASE)).toBeUndefined();
});

test('FL5: a permission that no agent uses is withdrawn, and the Node waits behind the other Nodes', async () => {
  const answers = (name: string) => name !== 'node-1';
  const cluster = await startCluster({ agents: { answers }, settings: { REBOOT_TIMEOUT: '45m' } });
  await needReboot(cluster, 'node-1');
  await eventually(() => isOk(cluster, 'node-1'));
  await needReboot(cluster, 'node-2', 'node-3');

  cluster.clock.advance(46 * MINUTE);

  for (const name of ['node-2', 'node-3']) {
    await cluster.passing(async () => (await annotation(cluster, name, REBOOT_NEEDED)) === 'false');
  }
  await cluster.passing(() => isOk(cluster, 'node-1')); // tried again, as the last one
  expect(cluster.history('node-1', REBOOT_OK)).toEqual([[REBOOT_OK], [], [REBOOT_OK]]);
});

test('FL5: the time limit continues after a restart of the operator', async () => {
  const cluster = await startCluster({ agents: false, settings: { REBOOT_TIMEOUT: '45m' } });
  const { clock, passing, place } = cluster;
  await needReboot(cluster, 'node-1', 'node-2');
  await eventually(() => isOk(cluster, 'node-1'));

  await place.operator.kill();
  clock.advance(46 * MINUTE);
  place.startOperator();

  await passing(async () => (await timeouts(cluster)) === 1);
  await passing(() => isOk(cluster, 'node-2'));
});

test('FL9: a disruption budget that blocks the drain delays the reboot until the time limit', async () => {
  const cluster = await startCluster();
  const { clock, passing, place } = cluster;
  const { env, namespace } = place;
  const labels = { app: 'precious' };
  const precious = pod('precious', { namespace, labels });
  await env.create({ ...precious, spec: { ...precious.spec, nodeName: 'node-1' } });
  await env.apply(
    [
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'precious' },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      } as never,
    ],
    { namespace },
  );
  await eventually(async () => {
    const budget = await env.get('policy/v1', 'PodDisruptionBudget', namespace, 'precious');
    return (budget as { status?: { currentHealthy?: number } })?.status?.currentHealthy === 1;
  });

  await needReboot(cluster, 'node-1');
  const evictions = () => env.requests.count({ resource: 'pods', subresource: 'eviction' });
  await eventually(() => evictions() > 1);
  expect(await annotation(cluster, 'node-1', REBOOT_NEEDED)).toBe('true');
  clock.advance(61 * MINUTE);
  await passing(async () => (await timeouts(cluster)) === 1);
  expect(await env.get('v1', 'Pod', namespace, 'precious')).toBeDefined();
  await env.delete('policy/v1', 'PodDisruptionBudget', namespace, 'precious');

  await passing(async () => (await annotation(cluster, 'node-1', REBOOT_NEEDED)) === 'false');
  expect(await env.get('v1', 'Pod', namespace, 'precious')).toBeUndefined();
});
