import { messageOf } from '../../../core/errors.ts';
import { parseYaml } from '../../../core/yaml.ts';
import { rfc3339 } from '../../../model/condition.ts';
import { apiVersionOf } from '../../../model/resource.ts';
import { requireCreate } from '../auth/create-by-write.ts';
import type { Cluster } from '../cluster.ts';
import type { StoredObject } from '../cluster-access.ts';
import {
  badRequest,
  cannotBeHandled,
  conflict,
  invalid,
  invalidOptions,
  notAPatch,
  notFound,
  unsupportedMediaType,
} from '../failures.ts';
import { isObject, type Json, withMetadata } from '../objects/metadata.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { serverSideApply } from '../patch/managed-fields.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts';
import { fromStored, type ServedResource } from '../registry/served-resource.ts';
import type { WriteOptions } from '../request/options.ts';
import { createObject } from './create.ts';
import { reportUnknownFields } from './field-validation.ts';
import { keyOfTarget, type Target } from './target.ts';
import { type Change, updateObject } from './update.ts';

/** A patch as it came: its media type, and the text of its body. */
export interface Patch {
  readonly mediaType: string;
  readonly text: string;
}

const APPLY = 'application/apply-patch+yaml';
const CUSTOM_TYPES = ['application/json-patch+json', 'application/merge-patch+json', APPLY];
const ALL_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  APPLY,
];

/** Options of a PATCH beside those of every write. */
export interface PatchOptions extends WriteOptions {
  readonly force: boolean;
  /** `fieldManager` itself, without the default that other writes take from the User-Agent. */
  readonly fieldManager: string;
}

export interface Patched {
  readonly object: StoredObject;
  /** True when an apply has created the object. */
  readonly created: boolean;
}

/** Patches an object in one of the four ways. @throws ApiError 415 for a fifth. */
export function patchObject(
  cluster: Cluster,
  target: Target,
  patch: Patch,
  options: PatchOptions,
): Patched {
  const { served } = target;
  if (!ALL_TYPES.includes(patch.mediaType)) throw notAPatch();
  if (served.custom && !CUSTOM_TYPES.includes(patch.mediaType)) {
    throw unsupportedMediaType(CUSTOM_TYPES);
  }
  if (patch.mediaType === APPLY) return applyObject(cluster, target, patch.text, options);
  const value = parseJson(patch.text);
  const object = updateObject(
    cluster,
    target,
    (live) => patched(live, value, patch.mediaType, target, options),
    options,
  );
  return { object, created: false };
}

function patched(
  live: StoredObject,
  patch: unknown,
  mediaType: string,
  target: Target,
  options: PatchOptions,
): Change {
  const object = mergedBy(mediaType, live, patch) as unknown as StoredObject;
  const { uid } = object.metadata ?? {};
  if (uid !== live.metadata.uid) throw uidIsImmutable(target, uid);
  if (object.metadata.resourceVersion !== live.metadata.resourceVersion) {
    throw conflict(target.served, target.name);
  }
  reportUnknownFields(target.served, object, options);
  return { object };
}

function mergedBy(mediaType: string, live: StoredObject, patch: unknown): Json {
  const document = live as Json;
  if (mediaType === 'application/json-patch+json') return applyJsonPatch(document, patch);
  if (mediaType === 'application/merge-patch+json') return applyMergePatch(document, patch);
  return applyStrategicMergePatch(document, patch, live);
}

function uidIsImmutable({ served, name }: Target, uid: string | undefined): Error {
  const message = `Invalid value: ${JSON.stringify(uid ?? '')}: field is immutable`;
  return invalid(served, name, [{ field: 'metadata.uid', reason: 'FieldValueInvalid', message }]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${messageOf(error)}`);
  }
}

/** Server-side apply: creates the object, or merges the configuration into it. */
export function applyObject(
  cluster: Cluster,
  target: Target,
  text: string,
  options: PatchOptions,
): Patched {
  const { served, name } = target;
  requireManager(options);
  const applied = parseApplied(text, served);
  const live = cluster.storage.get(served.storedAs, keyOfTarget(target));
  const sent = applied.metadata.resourceVersion;
  if (live === undefined) {
    if (options.subresource) throw notFound(served, name);
    if (applied.metadata.uid) throw uidOfAbsent(target, applied.metadata.uid);
    requireCreate(cluster, target, options.caller);
    const { object, managedFields } = mergeApplied(cluster, target, undefined, applied, options);
    const named = withMetadata(object, { name, resourceVersion: sent });
    const create = { ...options, managedFields };
    return {
      object: createObject(cluster, served, target.namespace, named, create),
      created: true,
    };
  }
  if (sent && sent !== live.metadata.resourceVersion) throw conflict(served, name);
  reportUnknownFields(served, applied, options);
  const change = (shown: StoredObject): Change =>
    mergeApplied(cluster, target, shown, applied, options);
  return { object: updateObject(cluster, target, change, options), created: false };
}

function mergeApplied(
  { clock }: Cluster,
  { served }: Target,
  live: StoredObject | undefined,
  applied: StoredObject,
  options: PatchOptions,
): { object: StoredObject; managedFields: readonly unknown[] } {
  const merged = serverSideApply({
    live: live === undefined ? undefined : (live as Json),
    applied: withMetadata(applied, { resourceVersion: undefined, uid: undefined }) as Json,
    manager: options.fieldManager,
    force: options.force,
    apiVersion: apiVersionOf(served),
    subresource: options.subresource ?? '',
    time: rfc3339(clock.now()),
    schema: served.schema,
    ignoredFields: ignoredFields(served, options.subresource),
  });
  return {
    object: merged.object as unknown as StoredObject,
    managedFields: merged.managedFields,
  };
}

/** What the other endpoint of the object writes is not this one's to own. */
function ignoredFields(
  served: ServedResource,
  subresource: string | undefined,
): readonly (readonly string[])[] {
  if (subresource === 'status') return [['spec'], ['metadata', 'labels']];
  return served.subresources.some(({ name }) => name === 'status') ? [['status']] : [];
}

function requireManager({ fieldManager }: PatchOptions): void {
  if (fieldManager !== '') return;
  const message = 'Required value: is required for apply patch';
  throw invalidOptions('PatchOptions', [
    { field: 'fieldManager', reason: 'FieldValueRequired', message },
  ]);
}

function parseApplied(text: string, served: ServedResource): StoredObject {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${messageOf(error)}`);
  }
  if (!isObject(value)) throw badRequest('error decoding YAML: not an object');
  const metadata = isObject(value.metadata) ? value.metadata : {};
  if (metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  if (value.kind !== served.kind || value.apiVersion !== apiVersionOf(served)) {
    const found = { kind: String(value.kind), version: String(value.apiVersion) };
    throw cannotBeHandled(served, found, 'the applied object is of another kind or version');
  }
  return { ...value, metadata } as unknown as StoredObject;
}

function uidOfAbsent({ served, name }: Target, uid: string): Error {
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(served, name, why);
}

/** The object as this version shows it. */
export function currentOf(cluster: Cluster, target: Target): StoredObject | undefined {
  const live = cluster.storage.get(target.served.storedAs, keyOfTarget(target));
  return live === undefined ? undefined : fromStored(target.served, live);
}
