import { HeldObject } from '../../operator/model/held-object.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';

/** Names of the objects that came as text and that nobody has read. */
export function unread(objects: Iterable<KubernetesObject>): readonly string[] {
  return [...objects]
    .filter((object) => object instanceof HeldObject && object.textLength > 0)
    .map(({ metadata }) => metadata.name);
}
