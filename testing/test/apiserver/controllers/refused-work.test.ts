/** What controllers say when the server refuses what they want to write, and that they go on when it does not. */
import { expect, test } from 'vitest';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';
import {
  podTemplate,
  type SimulatedCluster,
  simulatedCluster,
  workload,
} from './simulated-cluster.ts';

const DEPLOYMENTS = 'deployments.apps';
const REPLICA_SETS = 'replicasets.apps';
const MINUTE_MS = 60_000;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

function start(): SimulatedCluster {
  const cluster = simulatedCluster({ podReadyMs: 0, podStopMs: 0, podRunMs: 1_000 });
  cluster.access.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'only' } });
  return cluster;
}

function limit({ access }: SimulatedCluster, hard: Readonly<Record<string, string>>): void {
  const metadata = { name: 'budget', namespace: 'demo' };
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } };
  access.create('resourcequotas', quota as StoredObject);
}

function unlimit({ access }: SimulatedCluster): void {
  access.delete('resourcequotas', 'demo', 'budget');
}

/** A template whose Pods run as an account that nobody has made. */
function templateOf(account: string, restartPolicy = 'Always'): object {
  const template = podTemplate('web') as { readonly spec: object };
  return {
    ...template,
    spec: { ...template.spec, serviceAccountName: account, restartPolicy },
  };
}

function addAccount({ access }: SimulatedCluster, name: string): void {
  const metadata = { name, namespace: 'demo' };
  access.create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
}

/** No Pod of the namespace may be deleted. */
function forbidDeletions({ access }: SimulatedCluster): void {
  const match = {
    operations: ['DELETE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['pods'],
  };
  access.create('validatingadmissionpolicies.admissionregistration.k8s.io', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'keep' },
    spec: {
      matchConstraints: { resourceRules: [match] },
      validations: [{ expression: 'false', message: 'Pods stay' }],
    },
  } as StoredObject);
  access.create('validatingadmissionpolicybindings.admissionregistration.k8s.io', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'keep' },
    spec: { policyName: 'keep', validationActions: ['Deny'] },
  } as StoredObject);
}

function allowDeletions({ access }: SimulatedCluster): void {
  const bindings = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';
  access.delete(bindings, undefined, 'keep');
}

function conditionsOf(object: StoredObject | undefined): readonly Condition[] {
  const { conditions = [] } = (object?.status ?? {}) as { readonly conditions?: Condition[] };
  return conditions;
}

function failureOf(object: StoredObject | undefined): Condition | undefined {
  return conditionsOf(object).find(({ type }) => type === 'ReplicaFailure');
}

/** `KIND REASON MESSAGE` of the warnings, once each, with an X for what is generated in a name. */
function warnings({ access }: SimulatedCluster): readonly string[] {
  const events = access.list('events', 'demo') as unknown as readonly {
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly involvedObject: { readonly kind: string };
  }[];
  const told = events
    .filter(({ type }) => type === 'Warning')
    .map(({ reason, message, involvedObject }) => `${involvedObject.kind} ${reason} ${message}`)
    .map((text) => text.replace('(combined from similar events): ', ''))
    .map((text) => text.replace(/"(web|tick)-[\w-]*"/g, '"$1-X"'));
  return [...new Set(told)];
}

function podCount({ access }: SimulatedCluster): number {
  return access.list('pods', 'demo').length;
}

function only({ access }: SimulatedCluster, resource: string): StoredObject | undefined {
  return access.list(resource, 'demo')[0];
}

test('a ReplicaSet and its Deployment report refused Pods until the Pods are accepted', () => {
  const cluster = start();
  const template = templateOf('robot');
  cluster.access.create(DEPLOYMENTS, workload('Deployment', 'web', { replicas: 2, template }));
  cluster.clock.advance(1_000);
  const refused = {
    deployment: failureOf(only(cluster, DEPLOYMENTS)),
    set: failureOf(only(cluster, REPLICA_SETS)),
    told: warnings(cluster),
    pods: podCount(cluster),
  };

  addAccount(cluster, 'robot');
  cluster.clock.advance(MINUTE_MS);

  const why = 'error looking up service account demo/robot: serviceaccount "robot" not found';
  const message = expect.stringMatching(new RegExp(`^pods "web-.*" is forbidden: ${why}$`));
  const condition = { status: 'True', reason: 'FailedCreate', message };
  expect(refused.deployment).toMatchObject(condition);
  expect(refused.set).toMatchObject(condition);
  expect(refused.told).toEqual([
    `ReplicaSet FailedCreate Error creating: pods "web-X" is forbidden: ${why}`,
  ]);
  expect(refused.pods).toBe(0);
  expect(podCount(cluster)).toBe(2);
  expect(failureOf(only(cluster, REPLICA_SETS))).toBeUndefined();
  expect(failureOf(only(cluster, DEPLOYMENTS))).toBeUndefined();
});

test('a ReplicaSet creates the replicas that a quota allows, and the rest after the quota is removed', () => {
  const cluster = start();
  limit(cluster, { pods: '3' });
  cluster.access.create(REPLICA_SETS, workload('ReplicaSet', 'web', { replicas: 5 }));
  cluster.clock.advance(5_000);
  const before = { pods: podCount(cluster), set: only(cluster, REPLICA_SETS) };

  unlimit(cluster);
  cluster.clock.advance(2 * MINUTE_MS);

  expect(before.pods).toBe(3);
  expect(before.set?.status).toMatchObject({ replicas: 3, readyReplicas: 3 });
  expect(failureOf(before.set)?.message).toMatch(
    /^pods "web-\w{5}" is forbidden: exceeded quota: budget, requested: pods=1, used: pods=3, limited: pods=3$/,
  );
  expect(podCount(cluster)).toBe(5);
  expect(failureOf(only(cluster, REPLICA_SETS))).toBeUndefined();
});

test('a repeated refusal does not write the condition again', () => {
  const cluster = start();
  limit(cluster, { pods: '0' });
  cluster.access.create(REPLICA_SETS, workload('ReplicaSet', 'web', { replicas: 1 }));
  cluster.clock.advance(1_000);
  const first = only(cluster, REPLICA_SETS);

  cluster.clock.advance(10 * MINUTE_MS);

  expect(failureOf(first)?.status).toBe('True');
  expect(only(cluster, REPLICA_SETS)).toEqual(first);
});

test.each([
  [
    'StatefulSet',
    'statefulsets.apps',
    { serviceName: 's' },
    'Create Pod web-0 in StatefulSet web failed error: pods "web-X" is forbidden',
  ],
  ['DaemonSet', 'daemonsets.apps', {}, 'Error creating: pods "web-X" is forbidden'],
  [
    'Job',
    'jobs.batch',
    { selector: undefined, template: templateOf('robot', 'Never') },
    'Error creating: pods "web-X" is forbidden',
  ],
])('a %s reports a refused Pod in an Event, and not in a condition', (kind, resource, spec, text) => {
  const cluster = start();
  const template = templateOf('robot');
  const object = workload(kind, 'web', { template, ...spec });
  cluster.access.create(resource, JSON.parse(JSON.stringify(object)) as StoredObject);
  cluster.clock.advance(1_000);
  const before = {
    told: warnings(cluster),
    conditions: conditionsOf(only(cluster, resource)),
    pods: podCount(cluster),
  };

  addAccount(cluster, 'robot');
  cluster.clock.advance(MINUTE_MS);

  expect(before.told).toEqual([expect.stringContaining(`${kind} FailedCreate ${text}`)]);
  expect(before.conditions).toEqual([]);
  expect(before.pods).toBe(0);
  expect(podCount(cluster)).toBe(1);
});

test('a StatefulSet reports a refused volume claim and the Pod that waits for it', () => {
  const cluster = start();
  limit(cluster, { persistentvolumeclaims: '0' });
  const resources = { requests: { storage: '1Gi' } };
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources },
  };
  const spec = { replicas: 1, serviceName: 's', volumeClaimTemplates: [claim] };
  cluster.access.create('statefulsets.apps', workload('StatefulSet', 'web', spec));
  cluster.clock.advance(1_000);
  const told = warnings(cluster);

  unlimit(cluster);
  cluster.clock.advance(MINUTE_MS);

  const refusal = 'persistentvolumeclaims "data-web-0" is forbidden: exceeded quota: budget';
  expect(told).toEqual([
    expect.stringContaining(
      `StatefulSet FailedCreate Create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: ${refusal}`,
    ),
    expect.stringContaining(
      `StatefulSet FailedCreate Create Pod web-0 in StatefulSet web failed error: failed to create PVC data-web-0: ${refusal}`,
    ),
  ]);
  expect(podCount(cluster)).toBe(1);
});

test('a Deployment reports a refused ReplicaSet until it is created', () => {
  const cluster = start();
  limit(cluster, { 'count/replicasets.apps': '0' });
  cluster.access.create(DEPLOYMENTS, workload('Deployment', 'web', { replicas: 1 }));
  cluster.clock.advance(1_000);
  const before = conditionsOf(only(cluster, DEPLOYMENTS));
  const told = warnings(cluster);

  unlimit(cluster);
  cluster.clock.advance(MINUTE_MS);

  const text =
    /Failed to create new replica set "web-\w+": replicasets.apps "web-\w+" is forbidden: /;
  expect(before).toContainEqual(
    expect.objectContaining({
      type: 'Progressing',
      status: 'False',
      reason: 'ReplicaSetCreateError',
      message: expect.stringMatching(text),
    }),
  );
  expect(told).toEqual([
    expect.stringMatching(
      /^Deployment ReplicaSetCreateError Failed to create new replica set "web-X": replicasets.apps "web-X" is forbidden: /,
    ),
  ]);
  expect(conditionsOf(only(cluster, DEPLOYMENTS))).toContainEqual(
    expect.objectContaining({ type: 'Progressing', reason: 'NewReplicaSetAvailable' }),
  );
});

test('a CronJob reports in an Event that its Job is refused', () => {
  const cluster = start();
  limit(cluster, { 'count/jobs.batch': '0' });
  const template = templateOf('default', 'Never');
  cluster.access.create('cronjobs.batch', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick', namespace: 'demo' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
  } as StoredObject);

  cluster.clock.advance(MINUTE_MS);

  expect(warnings(cluster)).toEqual([
    expect.stringMatching(
      /^CronJob FailedCreate Error creating job: jobs.batch "tick-X" is forbidden: /,
    ),
  ]);
});

test('a ReplicaSet reports a refused Pod deletion until the deletion is allowed', () => {
  const cluster = start();
  cluster.access.create(REPLICA_SETS, workload('ReplicaSet', 'web', { replicas: 2 }));
  cluster.clock.advance(1_000);
  forbidDeletions(cluster);
  cluster.access.patch(REPLICA_SETS, 'demo', 'web', { spec: { replicas: 1 } });
  cluster.clock.advance(1_000);
  const refused = failureOf(only(cluster, REPLICA_SETS));
  const told = warnings(cluster);

  allowDeletions(cluster);
  cluster.clock.advance(MINUTE_MS);

  expect(refused).toMatchObject({
    reason: 'FailedDelete',
    message: expect.stringMatching(
      /^unable to delete pods: pods "web-\w+" is forbidden: .*Pods stay$/,
    ),
  });
  expect(told).toEqual([
    expect.stringMatching(
      /^ReplicaSet FailedDelete Error deleting: pods "web-X" is forbidden: .*Pods stay$/,
    ),
  ]);
  expect(podCount(cluster)).toBe(1);
  expect(failureOf(only(cluster, REPLICA_SETS))).toBeUndefined();
});
