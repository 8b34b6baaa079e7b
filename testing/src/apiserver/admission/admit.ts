import type { Cluster } from '../cluster/cluster.ts';
import { isObject, type Json, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { withDefaultResources } from './limits/limit-ranges.ts';
import { admitPod } from './pod-admission.ts';
import { allocate } from './service-addresses.ts';

/**
 * What the server adds to a new object of a built-in kind out of what else there is: default
 * resources, accounts, classes, addresses. No field manager owns it.
 *
 * @throws ApiError for what contradicts the rest of the cluster.
 */
export function admitNew(
  cluster: Cluster,
  served: ServedResource,
  object: StoredObject,
): StoredObject {
  if (served.custom) return object;
  if (object.kind === 'Pod') return admitPod(cluster, withDefaultResources(cluster, object));
  if (object.kind === 'Service') return allocate(cluster, object);
  if (object.kind === 'PersistentVolumeClaim') return withStorageClass(cluster, object);
  return object.kind === 'Ingress' ? withIngressClass(cluster, object) : object;
}

/** The same for a change: a Service of another type needs other things. */
export function admitChange(
  cluster: Cluster,
  served: ServedResource,
  object: StoredObject,
): StoredObject {
  return served.custom || object.kind !== 'Service' ? object : allocate(cluster, object);
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

/** The newest of those that are said to be the default. */
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
