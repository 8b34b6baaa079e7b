import type { StoredObject } from '../cluster-access.ts';
import { canonicalBuiltIn, canonicalCustom } from '../objects/canonical.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** The form in which an object is stored, compared and sent. */
export function canonical(served: ServedResource, object: StoredObject): StoredObject {
  return served.custom ? canonicalCustom(object) : canonicalBuiltIn(object);
}
