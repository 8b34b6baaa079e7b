import { canonicalMetadata } from './canonical.ts';
import type { Json } from './metadata.ts';
import type { StoredObject } from './stored-object.ts';

/** An object without everything but its metadata. */
export function partialOf({ metadata }: StoredObject): Json {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: canonicalMetadata(metadata as unknown as Json),
  };
}
