import { HeldObject } from './held-object.ts';
import type { KubernetesObject } from './object.ts';

const ofMetadataOnly = new WeakSet<object>();

/**
 * Says of a function of objects, such as an index function or a predicate, that it looks at
 * `apiVersion`, `kind` and `metadata` and at nothing else: objects that are held as text are then not
 * read for it, but for their metadata.
 *
 * @returns the same function.
 */
export function ofMetadata<F extends object>(of: F): F {
  ofMetadataOnly.add(of);
  return of;
}

/** True for what `ofMetadata` was told of. */
export function isOfMetadata(of: object): boolean {
  return ofMetadataOnly.has(of);
}

/**
 * `object`, or as much of one that is held as such a function looks at.
 *
 * @throws ProtocolError `DECODE` as `HeldObject.read` does.
 */
export function metadataView<T extends KubernetesObject>(object: T): T {
  if (!(object instanceof HeldObject)) return object;
  const { apiVersion, kind } = object;
  const view: KubernetesObject = { apiVersion, kind, metadata: object.readMetadata() };
  return view as T; // of which nobody looks at more
}
