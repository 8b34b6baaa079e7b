import { digestOf } from '../controller/children/applied-memory.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ObservedChild } from './apply-children.ts';
import type { RelatedObjects } from './engine-options.ts';

/**
 * A digest of what others may have changed for a decision about one child: the parent, related objects, and the status
 * of the other children. The child itself is left out, because its status follows from what was written to it. So is the
 * status of the parent, which the function itself states.
 */
export function decisionInputs(
  { metadata: { uid, generation, labels, annotations } }: KubernetesObject,
  observed: ReadonlyMap<string, ObservedChild>,
  related: ReadonlyMap<string, RelatedObjects>,
): (identity: string) => string {
  let shared: { readonly base: string; readonly statuses: ReadonlyMap<string, string> } | undefined;
  const compute = (): NonNullable<typeof shared> => {
    const versions = [...related].map(([name, { objects }]) => [name, objects.map(versionOf)]);
    const base = digestOf({ uid, generation, labels, annotations, versions });
    const statuses = new Map(
      [...observed].map(([identity, { object }]) => [identity, statusDigest(object)]),
    );
    return { base, statuses };
  };
  return (identity) => {
    shared ??= compute(); // most attempts write nothing, and need no digest
    const others = [...shared.statuses].filter(([name]) => name !== identity);
    return digestOf([shared.base, others.map(([, digest]) => digest).sort()]);
  };
}

function versionOf({ metadata: { uid, resourceVersion } }: KubernetesObject): readonly unknown[] {
  return [uid, resourceVersion];
}

function statusDigest(object: KubernetesObject): string {
  const { status } = object as { readonly status?: unknown };
  return status === undefined ? '' : digestOf(status);
}
