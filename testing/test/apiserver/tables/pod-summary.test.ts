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
    'the phase, before anything is known',
    pod({ containers: [{}] }, { phase: 'Pending' }),
    '0/1',
    'Pending',
  ],
  [
    'the reason of the status before the phase',
    pod({}, { phase: 'Failed', reason: 'Evicted' }),
    '0/0',
    'Evicted',
  ],
  [
    'that a gate holds back its scheduling',
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
  ['that all run', withContainers([RUNNING, RUNNING]), '2/2', 'Running'],
  [
    'why one waits',
    withContainers([RUNNING, waiting('CrashLoopBackOff')]),
    '1/2',
    'CrashLoopBackOff',
  ],
  [
    'what the first has to say where several wait',
    withContainers([waiting('ErrImagePull'), waiting('CrashLoopBackOff')]),
    '0/2',
    'ErrImagePull',
  ],
  ['the reason of an end', withContainers([ended(1, { reason: 'Error' })]), '0/1', 'Error'],
  [
    'the signal of an end without a reason',
    withContainers([ended(1, { signal: 9 })]),
    '0/1',
    'Signal:9',
  ],
  ['the exit code of an end without either', withContainers([ended(3)]), '0/1', 'ExitCode:3'],
  ['that it completed', withContainers([ended(0, { reason: 'Completed' })]), '0/1', 'Completed'],
  [
    'that one container runs on after another has completed',
    withContainers([ended(0, { reason: 'Completed' }), RUNNING], {
      conditions: [{ type: 'Ready', status: 'True' }],
    }),
    '1/2',
    'Running',
  ],
  [
    'that it is not ready since one container has completed',
    withContainers([ended(0, { reason: 'Completed' }), RUNNING]),
    '1/2',
    'NotReady',
  ],
  [
    'the failure of one container rather than the completion of another',
    withContainers([ended(0, { reason: 'Completed' }), ended(1, { reason: 'OOMKilled' })]),
    '0/2',
    'OOMKilled',
  ],
])('a Pod shows %s', (_, object, ready, status) => {
  const summary = podSummary(object);

  expect([`${summary.ready}/${summary.total}`, summary.status]).toEqual([ready, status]);
});

test.each([
  ['how many init containers are done', [ended(0), { state: { running: {} } }], 'Init:1/2'],
  ['why an init container waits', [waiting('ImagePullBackOff')], 'Init:ImagePullBackOff'],
  ['how an init container failed', [ended(1, { reason: 'Error' })], 'Init:Error'],
  ['with what code an init container failed', [ended(7)], 'Init:ExitCode:7'],
  ['no reason that says nothing', [waiting('PodInitializing')], 'Init:0/2'],
])('a Pod that is not initialized shows %s', (_, initContainerStatuses, status) => {
  const spec = { initContainers: [{ name: 'a' }, { name: 'b' }], containers: [{ name: 'app' }] };
  const containerStatuses = [waiting('PodInitializing')];

  const summary = podSummary(
    pod(spec, { phase: 'Pending', initContainerStatuses, containerStatuses }),
  );

  expect([summary.total, summary.status]).toEqual([1, status]);
});

test('a sidecar counts among the containers, and its restarts among theirs', () => {
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

test('restarts say how long ago the last one was', () => {
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
])('a Pod in phase %s that is being deleted shows it unless it is over (%o)', (phase, status, shown) => {
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
