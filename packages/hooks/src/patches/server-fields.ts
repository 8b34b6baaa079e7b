/** Metadata that the API server alone sets. Hooks hand them over with an object that they were given. */
import type { KubernetesObject } from 'chancery';
import type { PatchAction } from './patch-document.ts';

/** A write that has one of them is refused, or changes who owns fields; none of them can be meant. */
const NEVER_WRITTEN = [
  'managedFields',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'selfLink',
];

/** In a patch they mean: only if the object is still this one, and unchanged. */
const PRECONDITIONS = ['uid', 'resourceVersion'];

/** An object to write, as if it had never been at an API server. Its status stays: not every kind has it apart. */
export function withoutServerFields<T extends Pick<KubernetesObject, 'metadata'>>(object: T): T {
  return {
    ...object,
    metadata: without(object.metadata, [...NEVER_WRITTEN, ...PRECONDITIONS]),
  };
}

/**
 * What the operation writes, without them. A JSON patch stays as it is: each of its lines names what it changes.
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
 * `uid` and `resourceVersion` stay as preconditions, unless the patch is an object as it was read, which its
 * `creationTimestamp` shows: then they are those of an event that may be old.
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
