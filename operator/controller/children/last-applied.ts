import { goJson } from '../../core/go-json.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import type { Desired } from '../reconciler.ts';
import { isMap, isSameJson, type JsonMap } from './json-difference.ts';

/** The annotation in which Metacontroller keeps what a hook answered for a child. */
export const LAST_APPLIED = 'metacontroller.k8s.io/last-applied-configuration';

/** The field manager of Metacontroller's updates, which keep that annotation. */
export const UPDATE_MANAGER = 'metacontroller';

/** `object` without the annotation: a hook that answers an observed child answers the annotation, too. */
export function withoutLastApplied<T extends { readonly metadata: object }>(object: T): T {
  const { annotations } = object.metadata as { annotations?: Readonly<Record<string, string>> };
  if (
    annotations === undefined ||
    !isMap(annotations) ||
    !Object.hasOwn(annotations, LAST_APPLIED)
  ) {
    return object;
  }
  const { [LAST_APPLIED]: _, ...others } = annotations;
  return { ...object, metadata: { ...object.metadata, annotations: others } };
}

/** What the annotation of an object says; empty when it has none, or none that can be read. */
export function lastAppliedOf({ metadata: { annotations } }: KubernetesObject): JsonMap {
  const text = annotations?.[LAST_APPLIED];
  if (text === undefined || text === '') return {};
  try {
    const applied: unknown = JSON.parse(text);
    return isMap(applied) ? applied : {};
  } catch {
    return {};
  }
}

/** The value of the annotation for an answer, as Metacontroller writes it. */
export function lastAppliedText(answer: object): string {
  return goJson(answer);
}

/**
 * The complete child as it is answered: with the type, and without the annotation. Of an observed child that is answered
 * again, without what the server sets: its version would make every answer another one, and each write cause the next.
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
  return withSystemFieldsOf(child as unknown as JsonMap, {}) as unknown as KubernetesObject;
}

/** Members of metadata that the API server sets. What a hook answers for them is ignored. */
const SYSTEM_FIELDS = [
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
] as const;

/** `object` with the status and the system fields of `from`; without them where `from` lacks them. */
export function withSystemFieldsOf(object: JsonMap, from: JsonMap): JsonMap {
  const metadata = { ...(isMap(object.metadata) ? object.metadata : {}) };
  const known = isMap(from.metadata) ? from.metadata : {};
  for (const field of SYSTEM_FIELDS) {
    if (Object.hasOwn(known, field)) metadata[field] = known[field];
    else delete metadata[field];
  }
  const { status: _, ...others } = object;
  return { ...others, metadata, ...(Object.hasOwn(from, 'status') && { status: from.status }) };
}

/** True when both objects are the same but for their status and system fields. */
export function isSameContent(a: KubernetesObject, b: KubernetesObject): boolean {
  const content = (object: KubernetesObject): JsonMap =>
    withSystemFieldsOf(object as unknown as JsonMap, {});
  return isSameJson(content(a), content(b));
}
