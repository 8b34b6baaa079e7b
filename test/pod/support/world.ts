import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, eventually } from '@chancery/testing';
import type { ConfigMap, Secret } from '../../../operator/kubernetes.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { render } from '../../manifests/support/rendered.ts';
import { ClusterNode, type Means } from './cluster-node.ts';
import type { Images } from './image.ts';
import { Pod } from './pod.ts';
import { NODE_ADDRESS } from './pod-sandbox.ts';
import { admittedPod } from './pod-spec.ts';

/** What the overlay's namespace is called, and the Pod's ServiceAccount and operator. */
export const NAMESPACE = 'config-restart';
export const LEASE = 'config-restart-leader';

export interface WorldOptions {
  readonly means: Means;
  readonly images: Images;
  /** A folder of manifests. */
  readonly overlay: string;
  /** What the overlay's namespace is called. Default: `NAMESPACE`. */
  readonly namespace?: string;
  /** Changes what was rendered, before it is applied. */
  readonly edit?: (objects: readonly KubernetesObject[]) => readonly KubernetesObject[];
}

/** A cluster with what the manifests say, and its Pod. */
export interface World {
  readonly server: ApiServer;
  readonly pod: Pod;
  readonly node: ClusterNode;
  /** A new token of the Pod's ServiceAccount, good for as long as a Secret of that name is there. */
  readonly issueToken: (boundTo: string) => string;
  /** Ends all of it. */
  readonly end: () => Promise<void>;
}

/** Kinds that no part of this cluster acts upon; the Pod of the Deployment is the one that is run. */
const NOT_APPLIED: ReadonlySet<string> = new Set([
  'Deployment',
  'NetworkPolicy',
  'PodMonitor',
  'PodDisruptionBudget',
  ...['Certificate', 'Issuer'], // of cert-manager
]);

/** @throws what went wrong; nothing is left then. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const endings: (() => unknown)[] = [];
  const end = async (): Promise<void> => {
    for (const ending of endings.splice(0).reverse()) await ending();
  };
  try {
    return { ...(await build(options, endings)), end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function build(
  { means, images, overlay, namespace = NAMESPACE, edit = (all) => all }: WorldOptions,
  endings: (() => unknown)[],
): Promise<Omit<World, 'end'>> {
  const objects = edit(await render(overlay));
  const spec = admittedPod(objects);
  const server = await ApiServer.start({
    tls: { names: [NODE_ADDRESS] },
    authorization: 'RBAC',
    workloads: { podReadyMs: 20, podStopMs: 10 },
  });
  endings.push(() => server.close());
  for (const object of objects) if (!NOT_APPLIED.has(object.kind)) server.create(object);
  const issueToken = (name: string): string => {
    const bound = { apiVersion: 'v1', kind: 'Secret' } as const;
    const secret: KubernetesObject = { ...bound, metadata: { name, namespace } };
    const { uid = '' } = server.create(secret).metadata;
    const boundObjectRef = { ...bound, name, uid };
    return server.issueToken(namespace, spec.serviceAccountName, { boundObjectRef });
  };
  const folder = await mkdtemp(join(tmpdir(), 'chancery-pod-'));
  endings.push(() => rm(folder, { recursive: true }));
  const node = await ClusterNode.start(means);
  endings.push(() => node.end());
  const pod = await Pod.start({
    ...{ node, spec, images, folder, namespace, name: `${namespace}-5d8c-x2x7p` },
    ...{ apiServerPort: server.port, token: issueToken('token-1'), ca: server.secure.ca },
    configMap: (name) => dataOf(server, 'ConfigMap', namespace, name),
    secret: (name) => decoded(dataOf(server, 'Secret', namespace, name)),
  });
  endings.push(() => pod.end());
  return { server, pod, node, issueToken };
}

function dataOf(
  server: ApiServer,
  kind: 'ConfigMap' | 'Secret',
  namespace: string,
  name: string,
): Readonly<Record<string, string>> {
  const found = server.get('v1', kind, namespace, name) as ConfigMap | Secret | undefined;
  if (found?.data === undefined) throw new Error(`no ${kind} ${name} with data`);
  return found.data;
}

function decoded(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const texts = Object.entries(data).map(([key, base64]) => [
    key,
    Buffer.from(base64, 'base64').toString(),
  ]);
  return Object.fromEntries(texts);
}

/** A Deployment whose Pods are to be rolled when its ConfigMap changes; the operator knows of both. */
export async function runWorkload({ server }: World): Promise<void> {
  const labels = { app: 'webapp' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };
  server.create({
    ...{
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'webapp', namespace: NAMESPACE },
    },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  } as KubernetesObject);
  const annotations = {
    'k8spatterns.io/podDeleteSelector': 'app=webapp',
    'k8spatterns.io/debounceSeconds': '0',
  };
  const metadata = { name: 'settings', namespace: NAMESPACE, annotations };
  server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { value: 'one' },
  } as KubernetesObject);
  await eventually(() => remembered(server, 'settings') !== undefined, PATIENCE);
}

/** Changes the ConfigMap; resolves when the Deployment has been rolled because of it. */
export async function changeAndRoll({ server }: World, value: string): Promise<void> {
  const before = rollouts(server);
  server.patch('v1', 'ConfigMap', NAMESPACE, 'settings', { data: { value } });
  await eventually(() => rollouts(server) === before + 1, PATIENCE);
}

/** ReplicaSets: one for each time that the Deployment was rolled, and the first. */
export function rollouts(server: ApiServer): number {
  return server.list('apps/v1', 'ReplicaSet', NAMESPACE).length;
}

function remembered(server: ApiServer, name: string): string | undefined {
  const state = server.get('v1', 'ConfigMap', NAMESPACE, 'config-restart-state') as
    | { readonly data?: Readonly<Record<string, string>> }
    | undefined;
  return state?.data?.[name];
}

/** A line of the operator's log: it works from then on, and knows that the Lease is its own. */
export function isLeading(line: string): boolean {
  return line.includes('"msg":"leads"');
}

/** Two cores that others use as well; a Lease that is somebody else's for 15 s and more. */
export const PATIENCE = { timeoutMs: 25_000 };
