import { apiVersionOf } from 'chancery/internal-objects';
import { builtInKindName } from '../built-in-types/built-in-types.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import { encodeStruct } from '../objects/struct-encoder.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** Kinds whose replicas are a number in the internal type and a pointer in the versioned type. */
const COUNTED: ReadonlySet<string> = new Set([
  'apps/v1/Deployment',
  'apps/v1/ReplicaSet',
  'apps/v1/StatefulSet',
  'v1/ReplicationController',
]);

/**
 * The object of a bookmark: an object of the kind in which only `metadata` is set. For a built-in kind, Go
 * still writes all structs of the type, such as `"spec":{"containers":null}`.
 *
 * @param nullTimestamps - whether an unset creation time is written as null.
 */
export function bookmarkObject(
  served: ServedResource,
  metadata: Json,
  nullTimestamps: boolean,
): Json {
  const { kind } = served;
  const apiVersion = apiVersionOf(served);
  const type = served.custom ? undefined : builtInKindName(apiVersion, kind);
  if (type === undefined) return { apiVersion, kind, metadata };
  const counted = COUNTED.has(`${apiVersion}/${kind}`) ? { spec: { replicas: 0 } } : {};
  const object = encodeStruct({ kind, apiVersion, metadata, ...counted }, type);
  return nullTimestamps ? withNullTimestamps(object) : object;
}

function withNullTimestamps(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      if (!isObject(inner)) return [field, inner];
      return [
        field,
        field === 'metadata' ? { creationTimestamp: null, ...inner } : withNullTimestamps(inner),
      ];
    }),
  );
}
