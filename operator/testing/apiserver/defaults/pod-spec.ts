import type { Json } from '../objects/metadata.ts';
import { asObject, each, fill } from './fill.ts';

/** What every Pod template gets, from pkg/apis/core/v1/defaults.go of Kubernetes. */
export function defaultPodSpec(spec: Json): Json {
  return fill(spec, {
    volumes: (volumes: unknown) => each(volumes, defaultVolume),
    initContainers: (containers: unknown) => each(containers, defaultContainer),
    containers: (containers: unknown) => each(containers, defaultContainer),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    // The name of the account stands in two fields, the older of which is deprecated.
    serviceAccountName: (name: unknown) => name ?? spec.serviceAccount,
    serviceAccount: (name: unknown) => name ?? spec.serviceAccountName,
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
}

/** What admission adds to the spec of a new Pod. */
export function admitPod(spec: Json): Json {
  const account = spec.serviceAccountName ?? 'default';
  return fill(spec, {
    serviceAccountName: account,
    serviceAccount: account,
    tolerations: (tolerations: unknown) => [
      ...(Array.isArray(tolerations) ? tolerations : []),
      ...MISSING_TOLERATIONS.filter(({ key }) => !hasKey(tolerations, key)),
    ],
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
  });
}

/** From the DefaultTolerationSeconds admission plugin. */
const MISSING_TOLERATIONS = ['not-ready', 'unreachable'].map((problem) => ({
  key: `node.kubernetes.io/${problem}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

function hasKey(tolerations: unknown, key: string): boolean {
  return Array.isArray(tolerations) && tolerations.some((toleration) => toleration?.key === key);
}

function defaultContainer(container: Json): Json {
  return fill(container, {
    ports: (ports: unknown) => each(ports, (port) => fill(port, { protocol: 'TCP' })),
    env: (env: unknown) => each(env, defaultVariable),
    resources: {},
    livenessProbe: (probe: unknown) => defaultProbe(asObject(probe)),
    readinessProbe: (probe: unknown) => defaultProbe(asObject(probe)),
    startupProbe: (probe: unknown) => defaultProbe(asObject(probe)),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicyOf(String(container.image ?? '')),
  });
}

function pullPolicyOf(image: string): string {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function defaultVariable(variable: Json): Json {
  const source = asObject(variable.valueFrom);
  const field = asObject(source?.fieldRef);
  if (source === undefined || field === undefined) return variable;
  return { ...variable, valueFrom: { ...source, fieldRef: fill(field, { apiVersion: 'v1' }) } };
}

function defaultProbe(probe: Json | undefined): Json | undefined {
  if (probe === undefined) return undefined;
  return fill(probe, {
    httpGet: (get: unknown) => {
      const http = asObject(get);
      return http === undefined ? undefined : fill(http, { path: '/', scheme: 'HTTP' });
    },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
}

/** 0644: what the files of a volume are readable by. */
const DEFAULT_MODE = 420;

function defaultVolume(volume: Json): Json {
  const filled: Record<string, unknown> = { ...volume };
  for (const kind of ['configMap', 'secret', 'downwardAPI', 'projected']) {
    const source = asObject(volume[kind]);
    if (source !== undefined) filled[kind] = fill(source, { defaultMode: DEFAULT_MODE });
  }
  return filled;
}
