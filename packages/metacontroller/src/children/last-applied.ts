import type { Desired, KubernetesObject, Resource } from 'chancery';
import {
  apiVersionOf,
  goJson,
  isMapping,
  type Mapping,
  withSystemFieldsOf,
} from 'chancery/internal';

/** The annotation in which Metacontroller stores the answer of a hook for a child. */
export const LAST_APPLIED = 'metacontroller.k8s.io/last-applied-configuration';

/**
 * The field manager of the updates with which Metacontroller writes this annotation for the answer
 * of a hook.
 */
export const UPDATE_MANAGER = 'metacontroller';

/**
 * `object` without the annotation. A hook that answers with an observed child also returns the
 * annotation.
 */
export function withoutLastApplied<T extends { readonly metadata: object }>(object: T): T {
  const { annotations } = object.metadata as { annotations?: Readonly<Record<string, string>> };
  if (
    annotations === undefined ||
    !isMapping(annotations) ||
    !Object.hasOwn(annotations, LAST_APPLIED)
  ) {
    return object;
  }
  const { [LAST_APPLIED]: _, ...others } = annotations;
  return { ...object, metadata: { ...object.metadata, annotations: others } };
}

/**
 * The answer in the annotation of an object. Empty without the annotation, or when it cannot be
 * read.
 */
export function lastAppliedOf({ metadata: { annotations } }: KubernetesObject): Mapping {
  const text = annotations?.[LAST_APPLIED];
  if (text === undefined || text === '') return {};
  try {
    const applied: unknown = JSON.parse(text);
    return isMapping(applied) ? applied : {};
  } catch {
    return {};
  }
}

/** The value of the annotation for an answer, as Metacontroller writes it. */
export function lastAppliedText(answer: object): string {
  return goJson(answer);
}

/**
 * The complete child of an answer: with its type, and without the annotation. From an observed
 * child, the fields that the server sets are removed. With these fields, such as resourceVersion,
 * every answer would differ from the last one, and each write would cause the next.
 */
export function completeAnswer(
  resource: Resource,
  desired: Desired<KubernetesObject>,
): KubernetesObject {
  const child = withoutLastApplied({
    ...desired,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
  } as unknown as KubernetesObject);
  const isObserved = (child.metadata.resourceVersion ?? child.metadata.uid) !== undefined;
  if (!isObserved) return child;
  return withSystemFieldsOf(child as unknown as Mapping, {}) as unknown as KubernetesObject;
}
