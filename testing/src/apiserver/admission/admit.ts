import type { AdmissionRequest } from '../cluster/admission-request.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Steps } from '../cluster/steps.ts';
import { isObject, type Json, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { enforceLimitRanges, withDefaultResources } from './limits/limit-ranges.ts';
import { admitChangedPod, admitPod } from './pod-admission.ts';
import { enforcePodSecurity } from './pod-security/enforce.ts';
import { enforcePolicies } from './policy/policies.ts';
import { enforceQuotas } from './quota/quotas.ts';
import { allocate } from './service-addresses.ts';
import { withProtection } from './storage-protection.ts';
import { callValidatingWebhooks } from './webhook/validating-webhooks.ts';

/**
 * Adds the fields of a new built-in object that depend on other objects of the cluster: default resources,
 * accounts, classes and addresses. No field manager owns these fields.
 *
 * @throws ApiError when the object contradicts the rest of the cluster.
 */
export function admitNew(
  cluster: Cluster,
  served: ServedResource,
  object: StoredObject,
): StoredObject {
  if (served.custom) return object;
  if (object.kind === 'Pod') return admitPod(cluster, withDefaultResources(cluster, object));
  if (object.kind === 'Service') return allocate(cluster, object);
  if (object.kind === 'Ingress') return withIngressClass(cluster, object);
  const classed =
    object.kind === 'PersistentVolumeClaim' ? withStorageClass(cluster, object) : object;
  return withProtection(classed);
}

/**
 * Adds fields to a changed object, as `admitNew` does to a new object. A Service whose type changes needs
 * different addresses and ports. A Pod keeps the priority that it was given.
 */
export function admitChange(
  cluster: Cluster,
  served: ServedResource,
  object: StoredObject,
): StoredObject {
  if (served.custom) return object;
  if (object.kind === 'Pod') return admitChangedPod(cluster, object);
  return object.kind === 'Service' ? allocate(cluster, object) : object;
}

/**
 * Runs every check that can refuse a complete and valid write, before the write is stored. The
 * checks run in the order of kubernetes/kubernetes, pkg/kubeapiserver/options/plugins.go.
 *
 * @throws ApiError with the status and the message of the first check that refuses.
 */
export function* admitWrite(cluster: Cluster, request: AdmissionRequest): Steps<void> {
  enforceLimitRanges(cluster, request);
  enforcePodSecurity(cluster, request);
  yield* enforcePolicies(cluster, request);
  yield* callValidatingWebhooks(cluster, request);
  enforceQuotas(cluster, request);
}

const DEFAULT_STORAGE = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
const DEFAULT_INGRESS = ['ingressclass.kubernetes.io/is-default-class'];

function withStorageClass({ storage }: Cluster, claim: StoredObject): StoredObject {
  const spec = isObject(claim.spec) ? claim.spec : {};
  const beta = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  if (spec.storageClassName !== undefined || beta !== undefined) return claim;
  const found = defaultOf(storage.list('storageclasses.storage.k8s.io'), DEFAULT_STORAGE);
  return found === undefined ? claim : withSpec(claim, { ...spec, storageClassName: found });
}

function withIngressClass({ storage }: Cluster, ingress: StoredObject): StoredObject {
  const spec = isObject(ingress.spec) ? ingress.spec : {};
  const older = ingress.metadata.annotations?.['kubernetes.io/ingress.class'];
  if (spec.ingressClassName !== undefined || older !== undefined) return ingress;
  const found = defaultOf(storage.list('ingressclasses.networking.k8s.io'), DEFAULT_INGRESS);
  return found === undefined ? ingress : withSpec(ingress, { ...spec, ingressClassName: found });
}

function withSpec(object: StoredObject, spec: Json): StoredObject {
  return withFields(object, { spec });
}

/** The newest class that an annotation marks as the default. */
function defaultOf(
  classes: readonly StoredObject[],
  annotations: readonly string[],
): string | undefined {
  const chosen = classes.filter(({ metadata }) =>
    annotations.some((name) => metadata.annotations?.[name] === 'true'),
  );
  const age = ({ metadata }: StoredObject): string => metadata.creationTimestamp ?? '';
  const [newest] = chosen.toSorted((a, b) => age(b).localeCompare(age(a)));
  return newest?.metadata.name;
}
