/** An operator that writes in every way that a declaration can say, and the cluster in which it works. */
import { startTestEnv, type TestEnv } from '@chancery/testing';
import { composite, controller, decorator, type KubernetesObject } from 'chancery';
import {
  configMaps,
  deployments,
  ingresses,
  persistentVolumeClaims,
  services,
  statefulSets,
} from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { policyObjects } from '../../src/command.ts';

export const gardens = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Garden',
  spec: Type.Object({ size: Type.Optional(Type.Integer()) }),
  status: Type.Object({ trees: Type.Optional(Type.Integer()) }),
});

export const beds = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Bed',
  spec: Type.Object({ rows: Type.Optional(Type.Integer()) }),
  status: Type.Object({ rows: Type.Optional(Type.Integer()) }),
});

/** A controller, a composite that adopts and keeps revisions, and a decorator with attachments. */
export const DECLARED = [
  controller({
    name: 'garden',
    for: gardens,
    owns: [deployments],
    permissions: [
      { resource: configMaps, verbs: ['create', 'update', 'patch'], resourceNames: ['tools'] },
      { resource: deployments, verbs: ['delete'] },
    ],
    finalizer: { name: 'example.dev/fence', finalize: async () => {} },
    reconcile: async () => {},
  }),
  composite({
    name: 'bed',
    parent: beds,
    children: [{ resource: statefulSets, update: 'rolling-apply' }, services],
    selector: () => ({ matchLabels: { kind: 'bed' } }),
    sync: () => ({ children: [] }),
  }),
  decorator({
    name: 'painter',
    objects: ingresses,
    attachments: [persistentVolumeClaims],
    finalize: { name: 'example.dev/paint', sync: () => ({ attachments: [], finalized: true }) },
    sync: () => ({ attachments: [] }),
  }),
];

export const HOME = 'yard';
export const NAME = 'gardener';
export const USER = `system:serviceaccount:${HOME}:${NAME}`;

export const OPTIONS: Parameters<typeof policyObjects>[1] = {
  name: NAME,
  serviceAccount: { name: NAME, namespace: HOME },
  namespaces: [HOME],
  leaderElection: { namespace: HOME, leaseName: 'gardener-leader' },
};

const meta = (name: string, more: object = {}, namespace: string = HOME) => ({
  name,
  namespace,
  ...more,
});

/** Uids of the owners: those of the cluster are known only when it runs. */
export interface Uids {
  readonly garden: string;
  readonly bed: string;
  readonly ingress: string;
  readonly foreignSet: string;
}

export const owner = (kind: string, name: string, uid: string, apiVersion = 'example.dev/v1') => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image: 'example.dev/c:1' }] },
});

/** Of a Pod whose quality of service a resize does not change. */
const podSpec = {
  containers: [{ name: 'c', image: 'example.dev/c:1', resources: { limits: { cpu: '1' } } }],
};

export const deploymentSpec = { selector: { matchLabels: { app: 'a' } }, template: template('a') };
export const statefulSetSpec = { ...deploymentSpec, serviceName: 'a' };
export const serviceSpec = { ports: [{ port: 80 }] };
export const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
};
export const ingressSpec = { defaultBackend: { service: { name: 'a', port: { number: 80 } } } };
export const PAINTED = { 'metacontroller.k8s.io/decorator-controller': 'painter' };

/**
 * A cluster in which RBAC lets the operator write everything.
 *
 * @param bound - its policies count.
 * @param environment - of a real API server, in which it is to start.
 * @param options - of the policies.
 */
export async function startGarden(
  bound: boolean,
  environment?: Readonly<Record<string, string | undefined>>,
  options: typeof OPTIONS = OPTIONS,
): Promise<{ env: TestEnv; uids: Uids }> {
  const env = await startTestEnv(
    environment === undefined
      ? { environment: {}, embedded: { authorization: 'RBAC', workloads: false } }
      : { backend: 'kubebuilder', environment },
  );
  await env.apply([gardens.definition, beds.definition] as unknown as KubernetesObject[]);
  const made = await env.apply(people());
  const uidOf = (kind: string, name: string): string =>
    made.find((each) => each.kind === kind && each.metadata.name === name)?.metadata.uid ?? '';
  const uids: Uids = {
    garden: uidOf('Garden', 'g'),
    bed: uidOf('Bed', 'b'),
    ingress: uidOf('Ingress', 'i'),
    foreignSet: uidOf('StatefulSet', 'foreign'),
  };
  await env.apply(owned(uids));
  if (bound) await env.apply(await policyObjects(DECLARED, options));
  return { env, uids };
}

/** Of an administrator: rights for everything, parents, and objects of others. */
function people(): KubernetesObject[] {
  const rbac = 'rbac.authorization.k8s.io/v1';
  return [
    ...[HOME, 'next-door'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })),
    {
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: 'everything' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    },
    {
      apiVersion: rbac,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'everything' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'everything' },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: HOME }],
    },
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } },
    ...[HOME, 'next-door'].flatMap((namespace) => foreign(namespace)),
  ] as unknown as KubernetesObject[];
}

function foreign(namespace: string): object[] {
  const of = (apiVersion: string, kind: string, name: string, rest: object, more: object = {}) => ({
    ...{ apiVersion, kind },
    metadata: meta(name, more, namespace),
    ...rest,
  });
  return [
    of('v1', 'ServiceAccount', NAME, {}),
    of('v1', 'ServiceAccount', 'admin', {}),
    of('v1', 'Pod', 'p', { spec: podSpec }),
    of('v1', 'ConfigMap', 'tools', { data: { a: '1' } }),
    of('v1', 'ConfigMap', 'other', { data: { a: '1' } }),
    of('v1', 'Secret', 's', { stringData: { a: '1' } }),
    of('v1', 'Service', 'foreign', { spec: serviceSpec }),
    of('v1', 'PersistentVolumeClaim', 'foreign', { spec: claimSpec }),
    of('apps/v1', 'Deployment', 'foreign', { spec: deploymentSpec }),
    of('apps/v1', 'StatefulSet', 'foreign', { spec: statefulSetSpec }),
    of('coordination.k8s.io/v1', 'Lease', 'other', { spec: { holderIdentity: 'x' } }),
    of('example.dev/v1', 'Garden', 'g', { spec: { size: 1 } }, { finalizers: ['x.dev/y'] }),
    of('example.dev/v1', 'Bed', 'b', { spec: { rows: 1 } }, { labels: { a: '1' } }),
    of('networking.k8s.io/v1', 'Ingress', 'i', { spec: ingressSpec }, { finalizers: ['x.dev/y'] }),
  ];
}

/** What the operator has made. */
function owned({ garden, bed, ingress, foreignSet }: Uids): KubernetesObject[] {
  const of = (apiVersion: string, kind: string, reference: object, rest: object, more = {}) => ({
    ...{ apiVersion, kind },
    metadata: meta('own', { ownerReferences: [reference], ...more }),
    ...rest,
  });
  const byGarden = owner('Garden', 'g', garden);
  const byBed = owner('Bed', 'b', bed);
  const byIngress = owner('Ingress', 'i', ingress, 'networking.k8s.io/v1');
  const revision = { revision: 1, data: {} };
  return [
    of('apps/v1', 'Deployment', byGarden, { spec: deploymentSpec }),
    ...shared({ byGarden, byBed }),
    of('apps/v1', 'StatefulSet', byBed, { spec: statefulSetSpec }, { labels: { kind: 'bed' } }),
    of('v1', 'Service', byBed, { spec: serviceSpec }, { labels: { kind: 'bed' } }),
    of('v1', 'PersistentVolumeClaim', byIngress, { spec: claimSpec }, { annotations: PAINTED }),
    of('apps/v1', 'ControllerRevision', byBed, revision, {
      labels: { 'chancery.dev/revision-of': 'bed' },
    }),
    {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: meta('foreign', {
        ownerReferences: [owner('StatefulSet', 'foreign', foreignSet, 'apps/v1')],
      }),
      ...revision,
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: meta('unmarked', { ownerReferences: [byIngress] }),
      spec: claimSpec,
    },
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: meta('gardener-leader'),
      spec: { holderIdentity: 'x' },
    },
  ] as unknown as KubernetesObject[];
}

/** Children with owners and finalizers of others. */
function shared({ byGarden, byBed }: Readonly<Record<'byGarden' | 'byBed', object>>): object[] {
  const beside = (reference: object): object => ({ ...reference, controller: undefined });
  return [
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', spec: deploymentSpec },
      metadata: meta('shared', {
        finalizers: ['x.dev/y'],
        ownerReferences: [byGarden, beside(byBed)],
      }),
    },
    {
      ...{ apiVersion: 'v1', kind: 'Service', spec: serviceSpec },
      metadata: meta('shared', { ownerReferences: [beside(byGarden)] }),
    },
    {
      ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: meta('shared') },
      eventTime: '2026-01-01T00:00:00.000000Z',
      ...{
        reportingController: 'x',
        reportingInstance: 'x',
        type: 'Normal',
        reason: 'R',
        action: 'A',
      },
      regarding: { kind: 'Garden', apiVersion: 'example.dev/v1', name: 'g', namespace: HOME },
    },
  ];
}

/** One request, as a row of a table. */
export interface Write {
  readonly title: string;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Default: a merge patch, for PATCH. */
  readonly apply?: boolean;
  /** Default: that of the controller `garden`. Empty: none is sent. */
  readonly manager?: string;
}

/** Sends it as the operator's ServiceAccount, past any ambassador. */
export async function send(
  env: TestEnv,
  { method, path, body, apply, manager = 'garden' }: Write,
  query: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly message: string }> {
  const isEmbedded = env.backend === 'embedded';
  const url = new URL(path, isEmbedded ? await env.server.urlFor(USER) : env.url);
  if (manager !== '' && method !== 'DELETE') url.searchParams.set('fieldManager', manager);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  if (apply === true) url.searchParams.set('force', 'true');
  const patch = apply === true ? 'application/apply-patch+yaml' : 'application/merge-patch+json';
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': method === 'PATCH' ? patch : 'application/json',
      // A real server is asked by its administrator.
      ...(!isEmbedded && { 'impersonate-user': USER }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, message: text };
}
