import { messageOf, rfc3339 } from 'chancery';
import { apiVersionOf, duplicateYamlKeys } from 'chancery/internal';
import { parseYaml } from 'chancery/low-level';
import { requireCreate } from '../../auth/create-by-write.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Steps } from '../../cluster/steps.ts';
import { badRequest } from '../../failures/failure.ts';
import { invalidOptions } from '../../failures/invalid.ts';
import { conflict, notFound } from '../../failures/object-failures.ts';
import { cannotBeHandled } from '../../failures/request-failures.ts';
import { GoDepthError, type GoJson, GoSyntaxError, parseGoJson } from '../../objects/go-json.ts';
import { isObject, type Json, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { serverSideApply } from '../../patch/apply/server-side-apply.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { PatchOptions } from '../../request/options.ts';
import { keyOfTarget, type Target, uidIsImmutable } from '../target.ts';
import { createObject } from './create.ts';
import { type Change, updateObject } from './update.ts';

export interface Patched {
  readonly object: StoredObject;
  /** True when an apply has created the object. */
  readonly created: boolean;
}

/** Server-side apply: creates the object, or merges the configuration into it. */
export function* applyObject(
  cluster: Cluster,
  target: Target,
  text: string,
  options: PatchOptions,
): Steps<Patched> {
  const { served, name } = target;
  requireManager(options);
  const applied = readApplied(text, served);
  const duplicates = duplicatesIn(text);
  if (options.fieldValidation === 'Strict') refuseDuplicates(duplicates);
  if (options.fieldValidation === 'Warn') for (const line of duplicates) options.warn(line);
  const live = cluster.storage.get(served.storedAs, keyOfTarget(target));
  const sent = applied.metadata.resourceVersion;
  if (live === undefined) {
    if (options.subresource) throw notFound(served, name);
    if (applied.metadata.uid) throw uidOfAbsent(target, applied.metadata.uid);
    requireCreate(cluster, target, options.caller);
    const { object, managedFields } = mergeApplied(cluster, target, undefined, applied, options);
    const named = withMetadata(object, { name });
    const create = { ...options, managedFields };
    const created = yield* createObject(cluster, served, target.namespace, named, create);
    return { object: created, created: true };
  }
  if (sent && sent !== live.metadata.resourceVersion) throw conflict(served, name);
  const { uid } = applied.metadata;
  const change = (shown: StoredObject): Change => {
    const merged = mergeApplied(cluster, target, shown, applied, options);
    if (uid && uid !== live.metadata.uid) throw uidIsImmutable(target, uid);
    return merged;
  };
  return { object: yield* updateObject(cluster, target, change, options), created: false };
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

/**
 * Most configurations come as JSON, which is YAML as well; undefined for any other text.
 *
 * @throws GoDepthError for JSON that is nested too deep: the reader of YAML could not refuse it.
 */
function jsonOf(text: string): GoJson | undefined {
  try {
    return parseGoJson(text);
  } catch (error) {
    if (error instanceof GoSyntaxError && !(error instanceof GoDepthError)) return undefined;
    throw error;
  }
}

function duplicatesIn(text: string): readonly string[] {
  if (jsonOf(text)?.duplicates.length === 0) return [];
  return duplicateYamlKeys(text).map(
    ({ line, key }) => `line ${line}: key ${JSON.stringify(key)} already set in map`,
  );
}

function refuseDuplicates(duplicates: readonly string[]): void {
  if (duplicates.length === 0) return;
  const lines = duplicates.map((line) => `\n  ${line}`).join('');
  throw badRequest(
    `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${lines}`,
  );
}

/**
 * The configuration in the body of an apply.
 *
 * @throws ApiError 400 for a text that is no YAML, or no object of the kind and version.
 */
export function readApplied(
  text: string,
  served: Pick<ServedResource, 'group' | 'version' | 'kind'>,
): StoredObject {
  let value: unknown;
  try {
    value = jsonOf(text)?.value ?? parseYaml(text, { exactIntegers: true });
  } catch (error) {
    throw badRequest(`error decoding YAML: ${messageOf(error)}`);
  }
  if (!isObject(value)) throw badRequest('error decoding YAML: not an object');
  const metadata = isObject(value.metadata) ? value.metadata : {};
  if (metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  if (value.apiVersion !== apiVersionOf(served)) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${value.apiVersion ?? ''}, expected: ${apiVersionOf(served)}`,
    );
  }
  if (value.kind !== served.kind) {
    const found = { kind: String(value.kind), version: String(value.apiVersion) };
    throw cannotBeHandled(served, found, 'the applied object is of another kind or version');
  }
  return { ...value, metadata } as unknown as StoredObject;
}

function uidOfAbsent({ served, name }: Target, uid: string): Error {
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(served, name, why);
}
