/** The controllers go through the recorded rollout, and come to the recorded states. */
import { expect, test } from 'vitest';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { restart, type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';
import { recordedRollout, recordedState } from './recorded-rollout.ts';

const KINDS = {
  Deployment: 'deployments.apps',
  ReplicaSet: 'replicasets.apps',
  Pod: 'pods',
} as const;

type Kind = keyof typeof KINDS;

const WEBAPP = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'webapp', namespace: 'demo', labels: { app: 'webapp' } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'webapp' } },
    template: {
      metadata: { labels: { app: 'webapp' } },
      spec: {
        containers: [
          {
            name: 'app',
            image: 'k8spatterns/mini-http-server',
            ports: [{ containerPort: 8080 }],
            env: [
              {
                name: 'MESSAGE',
                valueFrom: { configMapKeyRef: { name: 'webapp-config', key: 'message' } },
              },
            ],
          },
        ],
      },
    },
  },
} as StoredObject;

/** What differs from run to run: names, times, addresses, and who wrote what. */
function comparable(object: StoredObject): unknown {
  const text = JSON.stringify(object, (name, value: unknown) => {
    if (VARIABLE.has(name)) return undefined;
    return value === null ? undefined : value; // Go writes `lastProbeTime: null`
  });
  return JSON.parse(
    text
      .replace(/webapp-[a-z0-9]{5,10}(-[a-z0-9]{5})?/g, 'webapp-HASH')
      .replace(/"pod-template-hash":"[^"]*"/g, '"pod-template-hash":"HASH"')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      .replace(/10\.244\.\d+\.\d+/g, 'IP'),
  );
}

const VARIABLE = new Set([
  'uid',
  'resourceVersion',
  'managedFields',
  'imageID',
  'containerID',
  // The recorded cluster mounts a token, under a generated name.
  'volumeMounts',
  'volumes',
  'qosClass',
]);

/** The objects of each kind, in the order of their contents: names are random. */
function comparableState(
  objectsOf: (kind: Kind) => readonly StoredObject[],
): Readonly<Record<string, readonly unknown[]>> {
  const kinds = Object.keys(KINDS) as Kind[];
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      objectsOf(kind)
        .map((object) => comparable(object))
        .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    ]),
  );
}

/** The requests of the recording, and when the cluster had come to rest after each. */
const STEPS = [
  {
    step: 'create',
    restAtMs: 6_000,
    send: ({ access }: SimulatedCluster) => {
      access.create('deployments.apps', WEBAPP);
    },
  },
  {
    step: 'rolling restart',
    restAtMs: 14_000,
    send: ({ access }: SimulatedCluster) => {
      access.patch('deployments.apps', 'demo', 'webapp', restart('2026-11-21T06:30:00Z'));
    },
  },
  {
    step: 'mass delete',
    restAtMs: 20_000,
    send: ({ access }: SimulatedCluster) => {
      for (const { metadata } of access.list('pods', 'demo'))
        access.delete('pods', 'demo', metadata.name);
    },
  },
  {
    step: 'foreground deletion',
    restAtMs: 26_000,
    send: ({ access }: SimulatedCluster) => {
      const options = { propagationPolicy: 'Foreground' } as const;
      access.delete('deployments.apps', 'demo', 'webapp', options);
    },
  },
];

test.each(
  STEPS.map(({ step, restAtMs }, index) => [step, restAtMs, index] as const),
)('after the step %s, every object equals the recorded object', (_step, restAtMs, index) => {
  const cluster = simulatedCluster({ podReadyMs: 300, podStopMs: 300 });

  for (const { send } of STEPS.slice(0, index + 1)) {
    send(cluster);
    cluster.clock.advance(6_000);
  }

  const state = comparableState((kind) => cluster.access.list(KINDS[kind], 'demo'));
  expect(state).toEqual(comparableState((kind) => recordedState(kind, restAtMs)));
});

test('no state of the rollout exceeds the recorded bounds', () => {
  const cluster = simulatedCluster({ podReadyMs: 300, podStopMs: 300 });

  for (const { send } of STEPS.slice(0, 2)) {
    send(cluster);
    cluster.clock.advance(6_000);
  }

  const ours = cluster.events.filter(({ object }) => object.kind === 'Deployment');
  const theirs = recordedRollout().filter(
    ({ atMs, object }) => object.kind === 'Deployment' && atMs < 14_000,
  );
  expect(boundsOf(ours)).toEqual(boundsOf(theirs));
});

function boundsOf(changes: readonly { readonly object: StoredObject }[]): unknown {
  const counts = changes.map(({ object }) => (object.status ?? {}) as Record<string, number>);
  const rolling = counts.slice(counts.findIndex((one) => one.availableReplicas === 3));
  return {
    most: Math.max(...counts.map(({ replicas = 0 }) => replicas)),
    least: Math.min(...rolling.map(({ availableReplicas = 0 }) => availableReplicas)),
    revisions: new Set(changes.map(({ object }) => object.metadata.annotations?.[REVISION])),
  };
}

const REVISION = 'deployment.kubernetes.io/revision';
