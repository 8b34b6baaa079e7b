import { jsonEquals } from '../../objects/json-value.ts';
import { isObject } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

/**
 * The value of `metadata.generation` after a change. It counts the changes that a controller must react to.
 */
export function nextGeneration(
  served: ServedResource,
  object: StoredObject,
  stored: StoredObject,
): number | undefined {
  const { generation } = stored.metadata;
  if (!served.strategy.generations) return generation;
  return (generation ?? 0) + (isWish(served, object, stored) ? 1 : 0);
}

function isWish(served: ServedResource, object: StoredObject, stored: StoredObject): boolean {
  if (object.kind === 'PriorityClass') return false; // v1.36 counts no changes of this kind
  const isSlice = !served.custom && object.kind === 'EndpointSlice';
  if (isSlice && !jsonEquals(object.metadata.labels, stored.metadata.labels)) return true;
  const annotations = served.strategy.annotationsCount === true;
  if (annotations && !jsonEquals(object.metadata.annotations, stored.metadata.annotations)) {
    return true;
  }
  return !jsonEquals(wishOf(served, object), wishOf(served, stored));
}

/**
 * The fields whose changes v1.36 counts, for built-in kinds that keep their content outside of `spec` and
 * `status`.
 */
const WISHES: Readonly<Record<string, readonly string[]>> = {
  PodTemplate: ['template'],
  EndpointSlice: ['addressType', 'endpoints', 'ports'],
  ValidatingWebhookConfiguration: ['webhooks'],
  MutatingWebhookConfiguration: ['webhooks'],
};

/**
 * The fields of an object whose changes are counted. For a custom resource these are all fields except
 * metadata, and except status if it is a subresource.
 */
function wishOf(served: ServedResource, object: StoredObject): unknown {
  // A change of a Pod's node is not counted, because the scheduler makes this change.
  if (object.kind === 'Pod' && isObject(object.spec)) return { ...object.spec, nodeName: '' };
  if (!served.custom) return (WISHES[object.kind] ?? ['spec']).map((field) => object[field]);
  const { metadata: _, ...rest } = object;
  if (!served.subresources.some(({ name }) => name === 'status')) return rest;
  return { ...rest, status: undefined };
}
