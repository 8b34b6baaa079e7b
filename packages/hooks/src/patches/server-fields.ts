/**
 * Removes metadata that only the API server sets. Hooks pass on such metadata when they write an
 * object that they have read.
 */
import type { KubernetesObject } from 'chancery';
import type { PatchAction } from './patch-document.ts';

/**
 * Fields that a hook never means to write: the API server refuses them, or they change the
 * ownership of fields.
 */
const NEVER_WRITTEN = [
  'managedFields',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'selfLink',
];

/** In a patch these fields are preconditions: the object must still be the same, and unchanged. */
const PRECONDITIONS = ['uid', 'resourceVersion'];

/**
 * The object without the metadata that the API server sets, as if it were new. The status stays,
 * because not every kind has a subresource for it.
 */
export function withoutServerFields<T extends Pick<KubernetesObject, 'metadata'>>(object: T): T {
  return {
    ...object,
    metadata: without(object.metadata, [...NEVER_WRITTEN, ...PRECONDITIONS]),
  };
}

/**
 * The operation without the metadata that the API server sets. A JSON patch stays unchanged,
 * because each of its operations contains the path of the field that it changes.
 */
export function actionWithoutServerFields(action: PatchAction): PatchAction {
  switch (action.operation) {
    case 'Create':
    case 'CreateIfNotExists':
    case 'CreateOrUpdate':
      return { ...action, object: withoutServerFields(action.object) };
    case 'Apply':
      return { ...action, object: patchWithoutServerFields(action.object) };
    case 'MergePatch':
      return { ...action, mergePatch: patchWithoutServerFields(action.mergePatch) };
    default:
      return action;
  }
}

/**
 * `uid` and `resourceVersion` stay as preconditions, unless the patch has a `creationTimestamp`.
 * Such a patch is a whole object that the hook has read, for example in an event, and may be old.
 */
function patchWithoutServerFields<T extends object>(patch: T): T {
  const { metadata } = patch as { readonly metadata?: unknown };
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return patch;
  const wasRead = typeof (metadata as Partial<Metadata>).creationTimestamp === 'string';
  const names = wasRead ? [...NEVER_WRITTEN, ...PRECONDITIONS] : NEVER_WRITTEN;
  return { ...patch, metadata: without(metadata, names) };
}

type Metadata = KubernetesObject['metadata'];

function without<T extends object>(metadata: T, names: readonly string[]): T {
  const kept = Object.entries(metadata).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept) as T;
}
