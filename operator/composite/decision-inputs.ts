import { digestOf } from '../controller/children/applied-memory.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ObservedChild } from './apply-children.ts';
import type { SyncAnswer } from './engine-options.ts';
import type { RelatedObjects } from './related/related-objects.ts';

/** The inputs of the function except the parent, and the function's answer. */
interface Decided {
  readonly observed: ReadonlyMap<string, ObservedChild>;
  readonly related: ReadonlyMap<string, RelatedObjects>;
  readonly answer: SyncAnswer | undefined;
}

/**
 * A digest of everything that influences a decision about one child and that other writers may have changed:
 * the parent, related objects, and the status of the other children. The child itself is excluded, because
 * its status follows from the writes to it. The status of the parent, and the labels and annotations that the
 * function itself sets, are also excluded.
 */
export function decisionInputs(
  { metadata }: KubernetesObject,
  { observed, related, answer }: Decided,
): (identity: string) => string {
  let shared: { readonly base: string; readonly statuses: ReadonlyMap<string, string> } | undefined;
  const compute = (): NonNullable<typeof shared> => {
    const versions = [...related].map(([name, { objects }]) => [name, objects.map(versionOf)]);
    const { uid, generation } = metadata;
    const labels = notStated(metadata.labels, answer?.labels);
    const annotations = notStated(metadata.annotations, answer?.annotations);
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

function notStated(
  known: Readonly<Record<string, string>> | undefined,
  stated: SyncAnswer['labels'],
): Readonly<Record<string, string>> {
  const others = Object.entries(known ?? {}).filter(([key]) => !Object.hasOwn(stated ?? {}, key));
  return Object.fromEntries(others);
}

function versionOf({ metadata: { uid, resourceVersion } }: KubernetesObject): readonly unknown[] {
  return [uid, resourceVersion];
}

function statusDigest(object: KubernetesObject): string {
  const { status } = object as { readonly status?: unknown };
  return status === undefined ? '' : digestOf(status);
}
