import {
  byNamespace,
  type KubernetesObject,
  OperatorError,
  objectKey,
  type ReconcileContext,
  type Resource,
  source,
} from 'chancery';
import { type ConfigMap, configMaps, type Secret, secrets } from 'chancery/kubernetes';
import type { Store } from 'chancery/low-level';
import { hashOfConfigMap, hashOfSecret } from '../contract/hash.ts';
import type { Options } from '../contract/options.ts';
import type { ResourceType } from '../contract/resource-type.ts';
import type { ResourceKind } from '../workloads/kind.ts';
import { HashReader, Limit, versionOf } from './hash-reader.ts';

type ConfigurationOptions = Pick<Options, 'annotations' | 'resourceSelector' | 'resourceTypes'>;

/**
 * ConfigMaps and Secrets, as far as the options name them. Both are listed and watched by their metadata alone;
 * the content is read by GET when a workload wants it, and only its hash stays.
 */
export function configurationKinds(options: ConfigurationOptions): readonly ResourceKind[] {
  const limit = new Limit();
  const kinds = [
    configurationKind<ConfigMap>('CONFIGMAP', configMaps, hashOfConfigMap, options, limit),
    configurationKind<Secret>('SECRET', secrets, hashOfSecret, options, limit),
  ];
  return kinds.filter(({ type }) => options.resourceTypes.has(type));
}

const BY_NAMESPACE = 'namespace';

function configurationKind<T extends KubernetesObject>(
  type: ResourceType,
  resource: Resource<T>,
  hashOf: (object: T, keys: readonly string[] | undefined) => string,
  { annotations, resourceSelector }: ConfigurationOptions,
  limit: Limit,
): ResourceKind {
  const reader = new HashReader(resource, hashOf, limit);
  const watched = source(resource, {
    metadataOnly: true,
    optional: true, // without the right to list Secrets, workloads that use ConfigMaps only are restarted
    ...(resourceSelector !== undefined && { labelSelector: resourceSelector }),
    transform: reducedTo([annotations.match, annotations.ignore]),
    indexes: { [BY_NAMESPACE]: byNamespace },
  });
  const listed = ({ store }: Pick<ReconcileContext, 'store'>): Store<KubernetesObject> => {
    const cached = store(watched);
    if (cached.synced) return cached;
    // What is not listed must not be taken for deleted: the workload is tried again.
    const problem = `${resource.plural} are not listed: the workload waits for the right to list and watch them`;
    throw new OperatorError(problem, { code: 'NOT_SYNCED', layer: 'api-server' });
  };
  return {
    type,
    plural: resource.plural,
    permissions: [{ resource, verbs: ['get'] }],
    watches: [{ source: watched, nameOf: ({ metadata }) => metadata.name }],
    find({ namespace, name }, context) {
      const found = listed(context).get(objectKey(namespace, name));
      if (found === undefined) return undefined;
      return { annotations: found.metadata.annotations ?? {}, version: versionOf(found) };
    },
    names(namespace, context) {
      return listed(context)
        .byIndex(BY_NAMESPACE, namespace)
        .map(({ metadata }) => metadata.name);
    },
    hash(target, { version }, context) {
      return reader.hash(target, version, context);
    },
    forget(target) {
      reader.forget(target);
    },
  };
}

/**
 * Keeps the identity of an object and the named annotations. `kubectl apply` writes the whole content of a
 * Secret into an annotation: without this, the cache would have what the watch of metadata is to avoid.
 */
function reducedTo(names: readonly string[]) {
  return <T extends KubernetesObject>({ apiVersion, kind, metadata }: T): T => {
    const { name, namespace, uid, resourceVersion } = metadata;
    const kept = names.flatMap((each) => {
      const value = Object.hasOwn(metadata.annotations ?? {}, each) && metadata.annotations?.[each];
      return typeof value === 'string' ? [[each, value] as const] : [];
    });
    const annotations = kept.length > 0 && { annotations: Object.fromEntries(kept) };
    return {
      apiVersion,
      kind,
      metadata: { name, namespace, uid, resourceVersion, ...annotations },
    } as unknown as T;
  };
}
