import type { KubernetesObject } from 'chancery';

/** Metadata that differs between two runs of the same test, even if the operator does the same. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
]);

/**
 * A copy without values that the server generates, for comparison: `uid`, `resourceVersion`,
 * `creationTimestamp`, `managedFields` and `generation` of the metadata, and the uids of owners.
 */
export function withoutServerFields<T extends KubernetesObject>(object: T): T {
  const { ownerReferences, ...metadata } = object.metadata;
  const kept = Object.fromEntries(
    Object.entries(metadata).filter(([field]) => !OF_THE_SERVER.has(field)),
  );
  const owners = ownerReferences?.map(({ uid: _, ...reference }) => reference);
  return structuredClone({
    ...object,
    metadata: { ...kept, ...(owners === undefined ? {} : { ownerReferences: owners }) },
  }) as T;
}
