import { expect, test } from 'vitest';
import { kstatus, type ObjectStatus } from '../../operator/model/kstatus.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';

type Fields = { readonly metadata?: object; readonly spec?: object; readonly status?: object };

function object(apiVersion: string, kind: string, { metadata = {}, ...rest }: Fields) {
  return { apiVersion, kind, metadata: { name: 'a', ...metadata }, ...rest } as KubernetesObject;
}

const custom = (fields: Fields) => object('example.dev/v1', 'Site', fields);
const deployment = (fields: Fields) => object('apps/v1', 'Deployment', fields);
const pod = (status: object) => object('v1', 'Pod', { status });
const condition = (type: string, status: string, reason = 'Reason') => ({
  type,
  status,
  reason,
  message: `${type} is ${status}`,
});
const withConditions = (...conditions: object[]) => custom({ status: { conditions } });
const available = condition('Available', 'True');
const full = { replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
const rolledOut = { ...full, conditions: [available] };
const two = { spec: { replicas: 2 } };
const set = (status: object, strategy: object = {}) =>
  object('apps/v1', 'StatefulSet', { spec: { replicas: 2, updateStrategy: strategy }, status });
const daemons = {
  observedGeneration: 1,
  desiredNumberScheduled: 2,
  currentNumberScheduled: 2,
  updatedNumberScheduled: 2,
  numberAvailable: 2,
  numberReady: 2,
};
const daemonSet = (status: object) => object('apps/v1', 'DaemonSet', { status });
const job = (status: object) => object('batch/v1', 'Job', { status });
const definition = (...conditions: object[]) =>
  object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { status: { conditions } });

test.each<[ObjectStatus['status'], string, KubernetesObject | undefined]>([
  ['NotFound', 'nothing', undefined],
  ['Current', 'what says nothing', object('v1', 'ConfigMap', {})],
  ['Terminating', 'what is being deleted', custom({ metadata: { deletionTimestamp: 'x' } })],
  [
    'InProgress',
    'a generation that no controller has observed',
    custom({
      metadata: { generation: 2 },
      status: { observedGeneration: 1, conditions: [condition('Ready', 'True')] },
    }),
  ],
  ['Current', 'Ready', withConditions(condition('Ready', 'True'))],
  ['InProgress', 'not Ready', withConditions(condition('Ready', 'False'))],
  ['InProgress', 'Ready or not, who knows', withConditions(condition('Ready', 'Unknown'))],
  [
    'InProgress',
    'Reconciling, though Ready',
    withConditions(condition('Ready', 'True'), condition('Reconciling', 'True')),
  ],
  [
    'Failed',
    'Stalled, though Ready',
    withConditions(condition('Ready', 'True'), condition('Stalled', 'True')),
  ],
  [
    'Current',
    'neither Reconciling nor Stalled',
    withConditions(
      condition('Reconciling', 'False'),
      condition('Stalled', 'False'),
      condition('Ready', 'True'),
    ),
  ],

  ['InProgress', 'a new Deployment', deployment(two)],
  ['Current', 'a Deployment', deployment({ ...two, status: rolledOut })],
  ['InProgress', 'old Pods', deployment({ ...two, status: { ...rolledOut, updatedReplicas: 1 } })],
  ['InProgress', 'Pods too many', deployment({ ...two, status: { ...rolledOut, replicas: 3 } })],
  [
    'InProgress',
    'Pods not ready',
    deployment({ ...two, status: { ...rolledOut, readyReplicas: 1 } }),
  ],
  [
    'InProgress',
    'Pods not available',
    deployment({ ...two, status: { ...rolledOut, availableReplicas: 1 } }),
  ],
  ['InProgress', 'a Deployment not available', deployment({ ...two, status: full })],
  [
    'Failed',
    'a Deployment past its deadline',
    deployment({
      ...two,
      status: { conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded')] },
    }),
  ],
  [
    'Current',
    'a Deployment of none',
    deployment({ spec: { replicas: 0 }, status: { conditions: [available] } }),
  ],

  ['Current', 'a ReplicaSet', object('apps/v1', 'ReplicaSet', { ...two, status: full })],
  ['InProgress', 'a ReplicaSet of fewer', object('apps/v1', 'ReplicaSet', two)],
  [
    'InProgress',
    'a ReplicaSet that may not create Pods',
    object('apps/v1', 'ReplicaSet', {
      ...two,
      status: { ...full, conditions: [condition('ReplicaFailure', 'True')] },
    }),
  ],

  ['Current', 'a StatefulSet', set({ ...full, currentReplicas: 2 })],
  ['Current', 'a StatefulSet on delete', set({}, { type: 'OnDelete' })],
  ['InProgress', 'a StatefulSet in parts', set({ ...full, currentReplicas: 1 })],
  [
    'InProgress',
    'a StatefulSet between revisions',
    set({ ...full, currentReplicas: 2, currentRevision: 'a', updateRevision: 'b' }),
  ],
  [
    'Current',
    'a StatefulSet up to its partition',
    set({ ...full, updatedReplicas: 1, currentReplicas: 1 }, { rollingUpdate: { partition: 1 } }),
  ],

  ['InProgress', 'a DaemonSet not looked at', daemonSet({})],
  ['Current', 'a DaemonSet', daemonSet(daemons)],
  ['InProgress', 'a DaemonSet with a Pod too few', daemonSet({ ...daemons, numberReady: 1 })],

  ['InProgress', 'a pending Pod', pod({ phase: 'Pending' })],
  [
    'Failed',
    'a Pod that fits nowhere',
    pod({ phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'Unschedulable')] }),
  ],
  ['InProgress', 'a Pod not ready', pod({ phase: 'Running' })],
  ['Current', 'a Pod', pod({ phase: 'Running', conditions: [condition('Ready', 'True')] })],
  [
    'Failed',
    'a Pod that crashes',
    pod({
      phase: 'Running',
      containerStatuses: [{ name: 'c', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
    }),
  ],
  ['Current', 'a Pod that has succeeded', pod({ phase: 'Succeeded' })],
  ['Failed', 'a Pod that has failed', pod({ phase: 'Failed' })],

  ['InProgress', 'a Job not begun', job({})],
  ['Current', 'a Job under way', job({ startTime: 'x' })],
  ['Current', 'a Job completed', job({ conditions: [condition('Complete', 'True')] })],
  ['Failed', 'a Job failed', job({ conditions: [condition('Failed', 'True')] })],

  ['Current', 'a Service', object('v1', 'Service', { spec: { type: 'ClusterIP' } })],
  [
    'InProgress',
    'a Service that waits',
    object('v1', 'Service', { spec: { type: 'LoadBalancer' } }),
  ],
  [
    'Current',
    'the Service of another group, without conditions',
    object('serving.example.dev/v1', 'Service', { spec: { type: 'LoadBalancer' } }),
  ],
  ['Current', 'a claim', object('v1', 'PersistentVolumeClaim', { status: { phase: 'Bound' } })],
  ['InProgress', 'a pending claim', object('v1', 'PersistentVolumeClaim', {})],

  ['InProgress', 'a new definition', definition()],
  ['Current', 'a definition', definition(condition('Established', 'True'))],
  [
    'InProgress',
    'a definition to be installed',
    definition(condition('Established', 'False', 'Installing')),
  ],
  ['Failed', 'a definition refused', definition(condition('Established', 'False', 'NotAccepted'))],
  [
    'Failed',
    'a definition of names that are taken',
    definition(condition('NamesAccepted', 'False')),
  ],
])('[K-52] kstatus is %s: %s', (status, _, given) => {
  const { message, ...rest } = kstatus(given);

  expect(rest).toEqual({ status });
  expect(message).not.toBe('');
});
