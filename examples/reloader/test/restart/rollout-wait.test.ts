import { expect, test } from 'vitest';
import { optionsOf } from '../../contract/options.ts';
import { gatesOf } from '../../parts.ts';
import { rolloutState, rolloutWaitGate } from '../../restart/rollout-wait.ts';
import { RESTART_WINDOW } from '../../restart/window.ts';
import type { WorkloadKindName } from '../../workloads/kind.ts';
import { request, workload } from './requests.ts';

const DONE = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };

function deployment(status: object, spec: object = {}) {
  const object = workload('web', { parts: { spec: { replicas: 3, ...spec }, status } });
  return { ...object, metadata: { ...object.metadata, generation: 2 } };
}

test.each([
  ['a template that the controller has not seen', { ...DONE, observedGeneration: 1 }, 'underway'],
  ['no status', {}, 'underway'],
  ['old Pods that are still to be replaced', { ...DONE, updatedReplicas: 2 }, 'underway'],
  ['an old Pod that still exists', { ...DONE, replicas: 4 }, 'underway'],
  ['a new Pod that is not available', { ...DONE, availableReplicas: 2 }, 'underway'],
  ['only new and available Pods', DONE, 'done'],
  [
    'a deadline that has passed',
    {
      ...DONE,
      updatedReplicas: 1,
      conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }],
    },
    'failed',
  ],
])('the rollout of a Deployment with %s is %3$s', (_, status, state) => {
  expect(rolloutState('Deployment', deployment(status))).toBe(state);
});

test('the rollout of a paused Deployment counts as done', () => {
  expect(rolloutState('Deployment', deployment({ observedGeneration: 2 }, { paused: true }))).toBe(
    'done',
  );
});

const OLD_AND_NEW = { currentRevision: 'a', updateRevision: 'b' };

test.each<[string, WorkloadKindName, object, object, string]>([
  ['StatefulSet', 'StatefulSet', { replicas: 2 }, { readyReplicas: 1 }, 'underway'],
  ['StatefulSet', 'StatefulSet', { replicas: 2 }, { readyReplicas: 2, ...OLD_AND_NEW }, 'underway'],
  ['StatefulSet', 'StatefulSet', { replicas: 2 }, { readyReplicas: 2 }, 'done'],
  [
    'StatefulSet with a partition',
    'StatefulSet',
    { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
    { readyReplicas: 3, updatedReplicas: 1, ...OLD_AND_NEW },
    'done',
  ],
  [
    'StatefulSet with the strategy OnDelete',
    'StatefulSet',
    { replicas: 3, updateStrategy: { type: 'OnDelete' } },
    { readyReplicas: 3, ...OLD_AND_NEW },
    'done',
  ],
  [
    'DaemonSet',
    'DaemonSet',
    {},
    { desiredNumberScheduled: 3, updatedNumberScheduled: 2, numberAvailable: 3 },
    'underway',
  ],
  [
    'DaemonSet',
    'DaemonSet',
    {},
    { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 },
    'done',
  ],
  ['Argo Rollout', 'Rollout', { replicas: 3 }, { ...DONE, observedGeneration: '2' }, 'done'],
  ['Argo Rollout', 'Rollout', { replicas: 3 }, { phase: 'Degraded', updatedReplicas: 1 }, 'failed'],
  ['CronJob', 'CronJob', {}, {}, 'done'],
  ['Job', 'Job', {}, { active: 1 }, 'done'],
])('the rollout of a %s with the spec %3$j and the status %4$j is %5$s', (_, kind, spec, status, state) => {
  expect(rolloutState(kind, workload('web', { kind, parts: { spec, status } }))).toBe(state);
});

const rolling = request('web', {
  parts: { spec: { replicas: 3 }, status: { updatedReplicas: 1 } },
});

test('a restart waits at most ten minutes for the previous rollout', () => {
  const gate = rolloutWaitGate();
  const waits: number[] = [];

  let nowMs = Date.parse('2030-01-01T00:00:00Z');
  for (;;) {
    const wait = gate.leftMs(rolling, nowMs);
    if (wait === undefined) break;
    waits.push(wait.waitMs);
    nowMs += wait.waitMs;
  }

  expect(nowMs - Date.parse('2030-01-01T00:00:00Z')).toBe(600_000);
  expect(new Set(waits)).toEqual(new Set([2_000]));
});

test('the limit of ten minutes begins again with the next restart', () => {
  const gate = rolloutWaitGate();
  gate.leftMs(rolling, 0);
  gate.leftMs(request('web', { parts: { spec: { replicas: 0 }, status: {} } }), 2_000);

  expect(gate.leftMs(rolling, 600_000)?.reason).toBe('rollout');
  expect(gate.leftMs(rolling, 10_000_000)?.reason).toBe('rollout'); // nobody has asked for long
});

test.each([
  [
    'a window that is open for less than ten minutes',
    { 'enable-restart-windows': true },
    '2030-01-01T02:00:00Z',
  ],
  [
    'turns that are more than ten minutes apart',
    { 'rollouts-per-second': '0.001' },
    '2030-01-01T00:26:40Z',
  ],
])('waiting for a rollout ends after ten minutes, in spite of %s', (_, given, time) => {
  const options = optionsOf({ 'wait-for-rollout': true, ...given }, {});
  const gates = gatesOf(options, { workloads: [], resources: [] });
  const windows = { windows: [{ cron: '0 2 * * *', duration: '5m' }] };
  const stuck = request('web', {
    annotations: { [RESTART_WINDOW]: JSON.stringify(windows) },
    parts: { spec: { replicas: 3 }, status: { updatedReplicas: 1 } },
  });
  let nowMs = Date.parse('2030-01-01T00:00:00Z');
  for (const gate of gates) {
    // Another restart has the first turn.
    gate.leftMs(request('other', { parts: { spec: { replicas: 0 } } }), nowMs + 600_000);
  }
  for (let asked = 0; asked < 1_000; asked++) {
    const waits = gates.values().map((gate) => gate.leftMs(stuck, nowMs)?.waitMs); // one after the other
    const waitMs = waits.find((each) => each !== undefined);
    if (waitMs === undefined) break;
    nowMs += waitMs;
  }
  expect(new Date(nowMs).toISOString()).toBe(time.replace('Z', '.000Z'));
});
