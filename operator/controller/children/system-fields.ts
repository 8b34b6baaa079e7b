import { isMapping, type Mapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { digestOf } from './applied-memory.ts';
import { isSameJson } from './json-difference.ts';

/**
 * Members of metadata that the API server sets. Values that a function returns for them are
 * ignored.
 */
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

/** `object` with the status and the system fields of `from`. If `from` lacks one of them, it is removed. */
export function withSystemFieldsOf(object: Mapping, from: Mapping): Mapping {
  const metadata = { ...(isMapping(object.metadata) ? object.metadata : {}) };
  const known = isMapping(from.metadata) ? from.metadata : {};
  for (const field of SYSTEM_FIELDS) {
    if (Object.hasOwn(known, field)) metadata[field] = known[field];
    else delete metadata[field];
  }
  const { status: _, ...others } = object;
  return { ...others, metadata, ...(Object.hasOwn(from, 'status') && { status: from.status }) };
}

/** True when both objects are equal except for their type, their status and their system fields. */
export function isSameContent(a: KubernetesObject, b: KubernetesObject): boolean {
  const [one, other] = [contentOf(a), contentOf(b)];
  if (digestOf(one) === digestOf(other)) return true;
  try {
    return isSameJson(one, other); // it knows the two forms of a large integer
  } catch {
    return false; // nested too deeply for recursion
  }
}

/** Ignores the type, because the items of a list contain no type. */
function contentOf(object: KubernetesObject): Mapping {
  const {
    apiVersion: _,
    kind: __,
    ...content
  } = withSystemFieldsOf(object as unknown as Mapping, {});
  return content;
}
