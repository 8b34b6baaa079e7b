import type { KubernetesObject, ObjectMeta } from '../model/object.ts';
import type { JsonPatchOperation, Patch } from './client.ts';

/**
 * Whether the object `live`, under the name that we tried to create `sent` with, is ours: it has all
 * of our owners, by uid, and our labels. An object without owners must have everything we sent.
 */
export function isOwnCreation(live: KubernetesObject, sent: KubernetesObject): boolean {
  const owners = sent.metadata.ownerReferences ?? [];
  const liveOwners = new Set((live.metadata.ownerReferences ?? []).map(({ uid }) => uid));
  if (owners.length === 0) return contains(live, sent);
  return (
    owners.every(({ uid }) => liveOwners.has(uid)) &&
    contains(live.metadata.labels ?? {}, sent.metadata.labels ?? {})
  );
}

/** Whether `live` is what an update to `sent` makes of it; false where that cannot be told. */
export function isAsUpdated(
  live: KubernetesObject,
  sent: KubernetesObject,
  subresource: string | undefined,
): boolean {
  if (subresource === 'status') return isEqual(statusOf(live), statusOf(sent));
  return subresource === undefined && isEqual(asWritten(live), asWritten(sent));
}

/** Whether `live` is what `patch` makes of it; false where that cannot be told. */
export function isAsPatched(live: KubernetesObject, patch: Patch): boolean {
  if (patch.type === 'json') return patch.body.every((operation) => isDone(live, operation));
  // How a strategic patch merges lists depends on the type.
  return patch.type === 'merge' && contains(live, asWritten(patch.body));
}

/** Whether a patch fails, instead of doing something else, when it comes a second time. */
export function isGuarded(patch: Patch): boolean {
  if (patch.type === 'json') return patch.body.some(({ op }) => op === 'test');
  const { metadata } = patch.body as { readonly metadata?: Partial<ObjectMeta> | null };
  return typeof metadata?.resourceVersion === 'string';
}

function isDone(live: KubernetesObject, operation: JsonPatchOperation): boolean {
  const { op, path } = operation;
  if (op === 'test') return true;
  if (op === 'remove') return valueAt(live, path) === undefined;
  if (op !== 'add' && op !== 'replace') return false;
  return isEqual(valueAt(live, path), operation.value);
}

/** The value that a JSON pointer leads to, or undefined. `-`, behind the last item, leads nowhere. */
function valueAt(root: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')).reduce(memberOf, root);
}

function memberOf(parent: unknown, key: string): unknown {
  if (Array.isArray(parent)) return /^\d+$/.test(key) ? parent[Number(key)] : undefined;
  return isObject(parent) ? own(parent, key) : undefined;
}

/** What a writer decides; the rest of the metadata is the server's. */
function asWritten(object: object): object {
  const { metadata, ...rest } = object as { readonly metadata?: object | null };
  const {
    resourceVersion: _resourceVersion,
    managedFields: _managedFields,
    generation: _generation,
    ...kept
  } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return { ...rest, metadata: kept };
}

function statusOf(object: object): unknown {
  return (object as { readonly status?: unknown }).status;
}

/** Whether all of `part` is in `whole`; null stands for what is absent, as in a merge patch. */
function contains(whole: unknown, part: unknown): boolean {
  if (part === null || part === undefined) return whole === null || whole === undefined;
  if (Array.isArray(part)) return isEqual(whole, part);
  if (!isObject(part)) return whole === part;
  const object = whole ?? {};
  if (!isObject(object) || Array.isArray(object)) return false;
  return Object.entries(part).every(([key, value]) => contains(own(object, key), value));
}

function isEqual(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isEqual(own(a, key), own(b, key)));
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
