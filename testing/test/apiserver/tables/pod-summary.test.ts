/** How `kubectl get pods` sums up a Pod. */
import { expect, test } from 'vitest';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';
import { gatesText, podSummary, restartsText } from '../../../src/apiserver/tables/pod-summary.ts';

const NOW = Date.UTC(2026, 10, 21, 6, 30);
const RUNNING = { state: { running: {} }, ready: true };

function pod(spec: object, status: object, metadata: object = {}): StoredObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', ...metadata },
    spec,
    status,
  } as unknown as StoredObject;
}

function withContainers(containerStatuses: readonly object[], status: object = {}): StoredObject {
  const containers = containerStatuses.map((_, index) => ({ name: `c${index}` }));
  return pod({ containers }, { phase: 'Running', containerStatuses, ...status });
}

function ended(exitCode: number, more: object = {}): object {
  return { state: { terminated: { exitCode, ...more } }, ready: false };
}

function waiting(reason: string): object {
  return { state: { waiting: { reason } }, ready: false };
}

test.each([
  [
    'the phase without container statuses',
    pod({ containers: [{}] }, { phase: 'Pending' }),
    '0/1',
    'Pending',
  ],
  [
    'the reason of its status rather than the phase',
    pod({}, { phase: 'Failed', reason: 'Evicted' }),
    '0/0',
    'Evicted',
  ],
  [
    'SchedulingGated with a scheduling gate',
    pod(
      {},
      {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
      },
    ),
    '0/0',
    'SchedulingGated',
  ],
  ['Running if all containers run', withContainers([RUNNING, RUNNING]), '2/2', 'Running'],
  [
    'the reason for which a container waits',
    withContainers([RUNNING, waiting('CrashLoopBackOff')]),
    '1/2',
    'CrashLoopBackOff',
  ],
  [
    'the reason of the first of several waiting containers',
    withContainers([waiting('ErrImagePull'), waiting('CrashLoopBackOff')]),
    '0/2',
    'ErrImagePull',
  ],
  [
    'the reason of a terminated container',
    withContainers([ended(1, { reason: 'Error' })]),
    '0/1',
    'Error',
  ],
  [
    'the signal of a terminated container without a reason',
    withContainers([ended(1, { signal: 9 })]),
    '0/1',
    'Signal:9',
  ],
  [
    'the exit code of a terminated container without reason and signal',
    withContainers([ended(3)]),
    '0/1',
    'ExitCode:3',
  ],
  [
    'Completed if its container completed',
    withContainers([ended(0, { reason: 'Completed' })]),
    '0/1',
    'Completed',
  ],
  [
    'Running if one container is ready and another has completed',
    withContainers([ended(0, { reason: 'Completed' }), RUNNING], {
      conditions: [{ type: 'Ready', status: 'True' }],
    }),
    '1/2',
    'Running',
  ],
  [
    'NotReady if one container is unready and another has completed',
    withContainers([ended(0, { reason: 'Completed' }), RUNNING]),
    '1/2',
    'NotReady',
  ],
  [
    'the failure of one container rather than the completion of another one',
    withContainers([ended(0, { reason: 'Completed' }), ended(1, { reason: 'OOMKilled' })]),
    '0/2',
    'OOMKilled',
  ],
])('the status of a Pod in its row is %s', (_, object, ready, status) => {
  const summary = podSummary(object);

  expect([`${summary.ready}/${summary.total}`, summary.status]).toEqual([ready, status]);
});

test.each([
  ['the number of completed init containers', [ended(0), { state: { running: {} } }], 'Init:1/2'],
  [
    'the reason for which an init container waits',
    [waiting('ImagePullBackOff')],
    'Init:ImagePullBackOff',
  ],
  ['the reason of a failed init container', [ended(1, { reason: 'Error' })], 'Init:Error'],
  ['the exit code of a failed init container', [ended(7)], 'Init:ExitCode:7'],
  ['Init:0/2 rather than the reason PodInitializing', [waiting('PodInitializing')], 'Init:0/2'],
])('the row of a Pod that is not initialized shows %s', (_, initContainerStatuses, status) => {
  const spec = { initContainers: [{ name: 'a' }, { name: 'b' }], containers: [{ name: 'app' }] };
  const containerStatuses = [waiting('PodInitializing')];

  const summary = podSummary(
    pod(spec, { phase: 'Pending', initContainerStatuses, containerStatuses }),
  );

  expect([summary.total, summary.status]).toEqual([1, status]);
});

test('a sidecar counts as a container of its Pod, and its restarts count as well', () => {
  const object = pod(
    { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }], containers: [{ name: 'app' }] },
    {
      phase: 'Running',
      initContainerStatuses: [{ name: 'proxy', started: true, restartCount: 2, ...RUNNING }],
      containerStatuses: [{ name: 'app', restartCount: 1, ...RUNNING }],
    },
  );

  expect(podSummary(object)).toMatchObject({ ready: 2, total: 2, status: 'Running', restarts: 3 });
});

test('the column of restarts shows the time since the last restart of a Pod', () => {
  const lastState = (finishedAt: string): object => ({ lastState: { terminated: { finishedAt } } });
  const object = withContainers([
    { ...RUNNING, restartCount: 2, ...lastState('2026-11-21T06:25:00Z') },
    { ...RUNNING, restartCount: 1, ...lastState('2026-11-21T06:20:00Z') },
  ]);

  expect(restartsText(object, NOW)).toBe('3 (5m ago)');
  expect(restartsText(withContainers([RUNNING]), NOW)).toBe('0');
});

test.each([
  ['Running', {}, 'Terminating'],
  ['Succeeded', {}, 'Succeeded'],
  ['Running', { reason: 'NodeLost' }, 'Unknown'],
])('the row of a deleted Pod in phase %s shows Terminating unless it has ended (%o)', (phase, status, shown) => {
  const deletionTimestamp = '2026-11-21T06:29:00Z';

  const summary = podSummary(pod({}, { phase, ...status }, { deletionTimestamp }));

  expect(summary.status).toBe(shown);
});

test('readiness gates are counted by their conditions', () => {
  const readinessGates = [{ conditionType: 'a' }, { conditionType: 'b' }];
  const conditions = [{ type: 'b', status: 'True' }];

  expect(gatesText(pod({ readinessGates }, { conditions }))).toBe('1/2');
  expect(gatesText(pod({}, {}))).toBe('<none>');
});
