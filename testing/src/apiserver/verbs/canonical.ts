import { canonicalBuiltIn, canonicalCustom, storedBuiltIn } from '../objects/canonical.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { requireStorable } from '../objects/stored-size.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** Converts an object to the canonical format, in which objects are compared and validated. */
export function canonical(served: ServedResource, object: StoredObject): StoredObject {
  return served.custom ? canonicalCustom(object) : canonicalBuiltIn(object);
}

/** Converts an object to the storage format, in which objects are stored and sent. */
export function storedForm(served: ServedResource, object: StoredObject): StoredObject {
  return served.custom ? canonicalCustom(object) : storedBuiltIn(object);
}

/**
 * Converts an object to its storage format, immediately before it is stored.
 * @throws ApiError 500 when the object is too large.
 */
export function storable(served: ServedResource, object: StoredObject): StoredObject {
  const complete = storedForm(served, object);
  requireStorable(complete);
  return complete;
}
