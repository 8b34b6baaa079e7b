import type { LabelSelector } from 'chancery';
import { formatSelector, selectorFromObject } from 'chancery/internal-objects';
import { invalid } from '../../failures/invalid.ts';
import { isObject, type Json, valueAt, withMetadata, withValueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

/** The autoscaling/v1 Scale of an object. */
export function scaleOf(object: StoredObject, served: ServedResource): StoredObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = served.scale;
  const replicas = numberAt(object, paths?.replicas ?? ['spec', 'replicas']);
  const observed = numberAt(object, paths?.statusReplicas ?? ['status', 'replicas']);
  const selector = selectorText(object, served);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: observed, ...(selector === '' ? {} : { selector }) },
  } as unknown as StoredObject;
}

function invalidScale({ metadata }: StoredObject, replicas: number): Error {
  const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
  return invalid({ group: 'autoscaling', kind: 'Scale' }, metadata.name ?? '', [
    { field: 'spec.replicas', reason: 'FieldValueInvalid', message },
  ]);
}

/**
 * Returns `object` with the replicas of a Scale, and with the Scale's resourceVersion and uid. The write then
 * compares them with the values of the stored object.
 *
 * @throws ApiError 422 for a Scale of a built-in object with negative replicas.
 */
export function withScale(
  object: StoredObject,
  scale: StoredObject,
  served: ServedResource,
): StoredObject {
  const replicas = numberAt(scale, ['spec', 'replicas']);
  if (!served.custom && replicas < 0) throw invalidScale(object, replicas);
  const path = served.scale?.replicas ?? ['spec', 'replicas'];
  const scaled = withValueAt(object as Json, path, replicas) as unknown as StoredObject;
  const { resourceVersion, uid } = scale.metadata;
  return withMetadata(scaled, {
    resourceVersion: resourceVersion || undefined,
    uid: uid || undefined,
  });
}

function numberAt(object: unknown, path: readonly string[]): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
}

function selectorText(object: StoredObject, served: ServedResource): string {
  if (served.scale !== undefined) {
    const { selector } = served.scale;
    const text = selector === undefined ? '' : valueAt(object, selector);
    return typeof text === 'string' ? text : '';
  }
  const selector = valueAt(object, ['spec', 'selector']);
  if (!isObject(selector)) return '';
  // The selector of a ReplicationController is a plain map.
  const isMap = object.kind === 'ReplicationController';
  const labels = (isMap ? { matchLabels: selector } : selector) as LabelSelector;
  return formatSelector(selectorFromObject(labels));
}
