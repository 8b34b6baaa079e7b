import type { StoredObject } from '../cluster-access.ts';
import type { Json } from '../objects/metadata.ts';
import { asObject, fill } from './fill.ts';
import { defaultPodSpec } from './pod-spec.ts';

/** The fields that the server sets in an object of a built-in kind; others are left as they are. */
export function defaultObject(object: StoredObject): StoredObject {
  const defaults = DEFAULTS[object.kind];
  return defaults === undefined
    ? object
    : (fill(object as Json, defaults) as unknown as StoredObject);
}

type Defaults = Readonly<Record<string, unknown>>;

/** A spec that is there gets its defaults; none is invented. */
function spec(defaults: Defaults): (value: unknown) => Json | undefined {
  return (value) => {
    const present = asObject(value);
    return present === undefined ? undefined : fill(present, defaults);
  };
}

const template = spec({ spec: (value: unknown) => podSpec(value) });

function podSpec(value: unknown): Json | undefined {
  const present = asObject(value);
  return present === undefined ? undefined : defaultPodSpec(present);
}

function ofPod(value: unknown): Json | undefined {
  const present = asObject(value);
  return present === undefined
    ? undefined
    : fill(defaultPodSpec(present), { enableServiceLinks: true });
}

const ROLLING_DEPLOYMENT = { maxUnavailable: '25%', maxSurge: '25%' };
const ROLLING_DAEMON_SET = { maxUnavailable: 1, maxSurge: 0 };

/** The strategy of a workload; only one that rolls has details. */
function rolling(details: Json): (value: unknown) => Json {
  return (value) => {
    const strategy = fill(asObject(value), { type: 'RollingUpdate' });
    if (strategy.type !== 'RollingUpdate') return strategy;
    return fill(strategy, {
      rollingUpdate: (given: unknown) => fill(asObject(given), details),
    });
  };
}

const jobSpec: Defaults = {
  parallelism: 1,
  completions: 1,
  backoffLimit: 6,
  template,
  completionMode: 'NonIndexed',
  suspend: false,
  podReplacementPolicy: 'TerminatingOrFailed',
};

/** By kind: top-level fields and how they are filled, from the defaults.go of each group. */
const DEFAULTS: Readonly<Record<string, Defaults>> = {
  Pod: { spec: ofPod, status: {} },
  ReplicaSet: { spec: spec({ replicas: 1, template }), status: { replicas: 0 } },
  ReplicationController: { spec: spec({ replicas: 1, template }), status: { replicas: 0 } },
  Deployment: {
    spec: spec({
      replicas: 1,
      template,
      strategy: rolling(ROLLING_DEPLOYMENT),
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    }),
    status: {},
  },
  DaemonSet: {
    spec: spec({ template, updateStrategy: rolling(ROLLING_DAEMON_SET), revisionHistoryLimit: 10 }),
    status: {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    },
  },
  StatefulSet: {
    spec: spec({
      replicas: 1,
      template,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: rolling({ partition: 0 }),
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    }),
    status: { replicas: 0, availableReplicas: 0 },
  },
  Job: { spec: spec(jobSpec), status: {} },
  CronJob: {
    spec: spec({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    }),
    status: {},
  },
  Service: {
    spec: spec({ type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' }),
    status: { loadBalancer: {} },
  },
  Secret: { type: 'Opaque' },
  Namespace: { spec: {}, status: {} },
  Node: { spec: {}, status: {} },
  PersistentVolumeClaim: {
    spec: spec({ volumeMode: 'Filesystem' }),
    status: { phase: 'Pending' },
  },
  Ingress: { status: { loadBalancer: {} } },
  PodDisruptionBudget: {
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
};
