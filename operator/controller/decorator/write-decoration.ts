import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, ObjectMeta } from '../../model/object.ts';
import { isNotFound } from '../../model/status.ts';
import type { ReconcileContext } from '../reconciler.ts';
import type { DecoratorAnswer, DecoratorEngineOptions } from './engine-options.ts';

type Fields = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string | null>>;

/** What is to be written at the decorated object. */
interface Decoration {
  readonly answer: DecoratorAnswer;
  /** The finalizer to remove; undefined when it stays. */
  readonly removed: string | undefined;
}

/**
 * Writes status, labels and annotations of the decorated object, and removes the finalizer. Each write names the
 * version that the function has seen.
 *
 * @returns false when the object is gone.
 * @throws ApiError for which `isConflict` is true when the object has changed since.
 */
export async function writeDecoration(
  object: KubernetesObject,
  { answer, removed }: Decoration,
  { objects: { resource }, hasStatusSubresource }: DecoratorEngineOptions,
  { client }: ReconcileContext,
): Promise<boolean> {
  const { name, namespace, uid } = object.metadata;
  const status = statusPatch(object, answer.status);
  const metadata = metadataPatch(object.metadata, answer, removed);
  let { resourceVersion } = object.metadata;
  const patch = async (body: object, subresource?: 'status'): Promise<void> => {
    const stored = await client.patch(
      resource,
      { name, namespace },
      { type: 'merge', body },
      subresource === undefined ? {} : { subresource },
    );
    ({ resourceVersion } = stored.metadata);
  };
  try {
    if (status !== undefined && hasStatusSubresource) {
      await patch({ metadata: { uid, resourceVersion }, status }, 'status');
    }
    const withObject = hasStatusSubresource ? undefined : status;
    if (metadata !== undefined || withObject !== undefined) {
      await patch({
        metadata: { uid, resourceVersion, ...metadata },
        ...(withObject !== undefined && { status: withObject }),
      });
    }
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The merge patch that replaces the status; undefined when that changes nothing. */
function statusPatch(
  object: KubernetesObject,
  status: DecoratorAnswer['status'],
): object | undefined {
  if (status === undefined || status === null) return undefined;
  const { status: before } = object as { readonly status?: unknown };
  const patch = replacing(isFields(before) ? before : {}, status);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * The merge patch that makes `wanted` of `before`. A null in `wanted` is as good as a missing field: a merge patch
 * cannot write it.
 */
function replacing(before: Fields, wanted: Fields): Record<string, unknown> {
  const patch = new Map<string, unknown>();
  for (const key of Object.keys(before)) {
    if (before[key] !== null && (own(wanted, key) ?? null) === null) patch.set(key, null);
  }
  for (const [key, value] of Object.entries(wanted)) {
    if (value === null || value === undefined) continue;
    const known = own(before, key);
    if (!isFields(value)) {
      if (!isDeepStrictEqual(known, value)) patch.set(key, value);
      continue;
    }
    const inner = replacing(isFields(known) ? known : {}, value);
    if (Object.keys(inner).length > 0 || !isFields(known)) patch.set(key, inner);
  }
  return Object.fromEntries(patch); // defines members, even one named `__proto__`
}

/** The changed part of `metadata`; undefined when nothing changes. */
function metadataPatch(
  { labels, annotations, finalizers = [] }: ObjectMeta,
  answer: DecoratorAnswer,
  removed: string | undefined,
): object | undefined {
  const changed = {
    labels: changedTexts(labels, answer.labels),
    annotations: changedTexts(annotations, answer.annotations),
    finalizers:
      removed !== undefined && finalizers.includes(removed)
        ? finalizers.filter((name) => name !== removed)
        : undefined,
  };
  const parts = Object.entries(changed).filter(([, part]) => part !== undefined);
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function changedTexts(
  before: Readonly<Record<string, string>> | undefined,
  wanted: Texts = {},
): Texts | undefined {
  const known = before ?? {};
  const changed = Object.entries(wanted).filter(
    ([key, text]) => (own(known, key) ?? null) !== text,
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
