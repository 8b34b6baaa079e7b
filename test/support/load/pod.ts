import { podFields } from './pod-fields.ts';
import { metadata, type Profile } from './profile.ts';

const TIME = '2026-01-01T00:00:00Z';

/** A running Pod of two containers, 7.7 kB, nearly half of it managedFields. */
export const pod: Profile = {
  title: 'Pod 7.7 kB',
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  object: (index, name, resourceVersion) => ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: metadata([index, name, resourceVersion], {
      generateName: 'web-',
      generation: 1,
      labels: { app: 'web', 'pod-template-hash': '5d8f7c9b6', part: `p${index % 10}` },
      annotations: { 'example.dev/config-hash': 'a1b2c3d4' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `web-${index % 100}`,
          uid: `11111111-0000-4000-8000-${String(index % 100).padStart(12, '0')}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: podFields,
    }),
    spec: specOf(index),
    status: statusOf(index, resourceVersion),
  }),
};

function specOf(index: number): object {
  return {
    volumes: [
      { name: 'config', configMap: { name: `settings-${index}`, defaultMode: 420 } },
      {
        name: 'kube-api-access-x7k2p',
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            {
              configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [containerOf('web', index), containerOf('side', index)],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'web',
    serviceAccount: 'web',
    nodeName: `node-${index % 50}`,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    schedulerName: 'default-scheduler',
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  };
}

function containerOf(name: string, index: number): object {
  const probe = (path: string, periodSeconds: number): object => ({
    httpGet: { path, port: 'http', scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds,
    successThreshold: 1,
    failureThreshold: 3,
  });
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.name' };
  return {
    name,
    image: `registry.example/team/${name}:1.${index % 40}.3`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef } },
      { name: 'SETTING_0', value: `value-${index % 100}` },
      { name: 'SETTING_1', value: `value-${(index + 1) % 100}` },
    ],
    resources: { limits: { memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [
      { name: 'config', readOnly: true, mountPath: '/etc/config' },
      {
        name: 'kube-api-access-x7k2p',
        readOnly: true,
        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      },
    ],
    ...(name === 'web' && { livenessProbe: probe('/healthz', 10) }),
    readinessProbe: probe('/readyz', 5),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    securityContext: {
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    },
  };
}

const CONDITIONS = [
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
];

/** It changes with every event, as a kubelet changes it; what was asked for stays. */
function statusOf(index: number, resourceVersion: string): object {
  const ip = `198.51.100.${index % 250}`;
  return {
    phase: 'Running',
    conditions: CONDITIONS.map((type) => ({
      ...{ type, status: 'True', lastProbeTime: null, lastTransitionTime: TIME },
      ...(type === 'Ready' && { message: `seen ${resourceVersion}` }),
    })),
    hostIP: '192.0.2.10',
    hostIPs: [{ ip: '192.0.2.10' }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: TIME,
    containerStatuses: ['web', 'side'].map((name) => ({
      name,
      state: { running: { startedAt: TIME } },
      lastState: {},
      ready: true,
      restartCount: index % 3,
      image: `registry.example/team/${name}:1.${index % 40}.3`,
      imageID: `registry.example/team/${name}@sha256:${'0123456789abcdef'.repeat(4)}`,
      containerID: `containerd://${'fedcba9876543210'.repeat(4)}`,
      started: true,
    })),
    qosClass: 'Burstable',
  };
}
