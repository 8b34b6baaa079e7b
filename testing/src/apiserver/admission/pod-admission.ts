import { isDeepStrictEqual } from 'node:util';
import { objectKey } from 'chancery/internal-objects';
import type { Cluster } from '../cluster/cluster.ts';
import { each, fill } from '../defaults/fill.ts';
import { forbidden } from '../failures/object-failures.ts';
import { randomSuffix } from '../objects/generate-name.ts';
import { isObject, type Json, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';

type AdmissionPlugin = Cluster['behaviour']['disabledAdmissionPlugins'][number];

const PODS = { group: '', plural: 'pods' };

/**
 * Sets the ServiceAccount of a new Pod and adds the volume for its token. Also sets the Pod's priority, and
 * how long the Pod stays on a lost node.
 *
 * @throws ApiError 403 when the ServiceAccount does not exist (except `default`), when the priority
 * contradicts its class, or when the class does not exist.
 */
export function admitPod(cluster: Cluster, pod: StoredObject): StoredObject {
  const { storage, behaviour } = cluster;
  const { name = '' } = pod.metadata;
  const spec = isObject(pod.spec) ? pod.spec : {};
  const lacks = (plugin: AdmissionPlugin): boolean =>
    behaviour.disabledAdmissionPlugins.includes(plugin);
  const classes = storage.list('priorityclasses.scheduling.k8s.io');
  return withFields(pod, {
    spec: {
      ...(lacks('ServiceAccount') ? spec : withAccount(cluster, pod, spec)),
      ...priorityOf(spec, classes, name),
      ...(lacks('DefaultTolerationSeconds') ? {} : { tolerations: tolerationsOf(spec) }),
    },
  });
}

/**
 * Keeps computed fields of a Pod that a change omits: the priority, and how long the Pod stays on a lost
 * node.
 */
export function admitChangedPod({ storage, behaviour }: Cluster, pod: StoredObject): StoredObject {
  const { namespace, name = '' } = pod.metadata;
  const before = storage.get('pods', objectKey(namespace, name))?.spec;
  if (!isObject(pod.spec) || !isObject(before)) return pod;
  const { priority = before.priority, preemptionPolicy = before.preemptionPolicy } = pod.spec;
  const lacksTolerations = behaviour.disabledAdmissionPlugins.includes('DefaultTolerationSeconds');
  const tolerations = lacksTolerations ? pod.spec.tolerations : tolerationsOf(pod.spec);
  const spec = { ...pod.spec, priority, preemptionPolicy, tolerations };
  return isDeepStrictEqual(spec, pod.spec) ? pod : withFields(pod, { spec });
}

function withAccount({ storage }: Cluster, { metadata }: StoredObject, spec: Json): Json {
  const { namespace, name = '' } = metadata;
  const accountName = String(spec.serviceAccountName ?? 'default');
  const account = storage.get('serviceaccounts', objectKey(namespace, accountName));
  // Without controllers, no ServiceAccount `default` is created, so every namespace is treated as if it had
  // one.
  if (account === undefined && accountName !== 'default') {
    const why = `error looking up service account ${namespace}/${accountName}: serviceaccount "${accountName}" not found`;
    throw forbidden(PODS, name, why);
  }
  const mounts = spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true;
  const owned = fill(spec, { serviceAccountName: accountName, serviceAccount: accountName });
  return mounts === true
    ? mountToken(withPullSecrets(owned, account))
    : withPullSecrets(owned, account);
}

function withPullSecrets(spec: Json, account: StoredObject | undefined): Json {
  const secrets = account?.imagePullSecrets;
  const has = Array.isArray(spec.imagePullSecrets) && spec.imagePullSecrets.length > 0;
  return has || secrets === undefined ? spec : { ...spec, imagePullSecrets: secrets };
}

/** The directory in which every container finds the token of the Pod's ServiceAccount. */
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The lifetime of the token: an hour and seven seconds. With this unusual value, kube-apiserver recognizes
 * tokens that admission has requested.
 */
const TOKEN_SECONDS = 3_607;

function mountToken(spec: Json): Json {
  const name = `kube-api-access-${randomSuffix()}`;
  const mount = { name, readOnly: true, mountPath: TOKEN_PATH };
  const mounted = (container: Json): Json => {
    const mounts = Array.isArray(container.volumeMounts) ? container.volumeMounts : [];
    const has = mounts.some((one) => isObject(one) && one.mountPath === TOKEN_PATH);
    return has ? container : { ...container, volumeMounts: [...mounts, mount] };
  };
  const containers = (list: unknown): unknown => each(list, mounted);
  const changed = fill(spec, { initContainers: containers, containers });
  const volumes = Array.isArray(spec.volumes) ? spec.volumes : [];
  return { ...changed, volumes: [...volumes, tokenVolume(name)] };
}

function tokenVolume(name: string): Json {
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  const sources = [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
  ];
  return { name, projected: { sources, defaultMode: 420 } };
}

/** The values of the PriorityClasses that exist in every cluster. */
export const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

function priorityOf(spec: Json, classes: readonly StoredObject[], name: string): Json {
  const wanted = spec.priorityClassName;
  const found = wanted
    ? classes.find(({ metadata }) => metadata.name === wanted)
    : classes.find(({ globalDefault }) => globalDefault === true);
  const system = SYSTEM_CLASSES[String(wanted ?? '')];
  if (wanted && found === undefined && system === undefined) {
    throw forbidden(PODS, name, `no PriorityClass with name ${wanted} was found`);
  }
  const priority = Number(found?.value ?? system ?? 0);
  if (spec.priority !== undefined && spec.priority !== priority) {
    const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`;
    throw forbidden(PODS, name, why);
  }
  return {
    ...(found === undefined ? {} : { priorityClassName: found.metadata.name }),
    priority,
    preemptionPolicy: found?.preemptionPolicy ?? spec.preemptionPolicy ?? 'PreemptLowerPriority',
  };
}

/** Five minutes: how long a Pod waits for its node to come back. */
const TOLERATION_SECONDS = 300;

function tolerationsOf({ tolerations }: Json): readonly unknown[] {
  const before = Array.isArray(tolerations) ? tolerations.filter(isObject) : [];
  const missing = ['not-ready', 'unreachable']
    .map((problem) => `node.kubernetes.io/${problem}`)
    .filter((key) => !before.some((toleration) => tolerates(toleration, key)));
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: TOLERATION_SECONDS,
  }));
  return [...before, ...added];
}

function tolerates({ key, effect }: Json, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}
