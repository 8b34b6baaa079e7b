import type { ObjectKey, ObjectMeta } from 'chancery';
import { apiVersionOf, messageOf, resourceName } from 'chancery/internal-objects';
import { builtInKindName } from './built-in-types/built-in-types.ts';
import type { Cluster } from './cluster/cluster.ts';
import { customResources } from './crd/custom-resource.ts';
import { DEFINITIONS, specOf } from './crd/definition.ts';
import { NO_PACE } from './crd/definition-pace.ts';
import { validateDefinition } from './crd/definition-rules/validate-definition.ts';
import { ServingGate } from './crd/serving-gate.ts';
import type { FieldError } from './failures/invalid.ts';
import { isObject, type Json } from './objects/metadata.ts';
import type { ResourceName, StoredObject } from './objects/stored-object.ts';
import { decodeMetadata, decodeStruct, describeMismatch } from './objects/struct-decoder.ts';
import {
  BUILT_IN_RESOURCES,
  MIGRATION_RESOURCES,
  OLDER_RESOURCES,
} from './registry/built-in-resources.ts';
import type { CollectionSnapshot } from './storage/collection.ts';
import { StorageSnapshot } from './storage/snapshot.ts';
import { ImpossibleSnapshot } from './storage/snapshot-contents.ts';
import { validateBuiltIn } from './validation/built-in.ts';

/** What the objects of one resource in a snapshot must look like. */
interface Form {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly apiVersions: ReadonlySet<string>;
  readonly custom: boolean;
}

/**
 * Converts a snapshot so that this server can serve it. The objects of a snapshot file are decoded like those
 * of a request, so that no field is null if its type has a value. The whole snapshot is refused, before
 * anything is restored, if an object cannot be served: if its resource is unknown, its kind does not belong
 * to the resource, or a field is missing or has the wrong type. The code that reads and writes objects relies
 * on all these facts. Values are not validated again, because an earlier release may have accepted them.
 *
 * @throws ImpossibleSnapshot `CONFIG` with the object and its problem.
 */
export function servableSnapshot(cluster: Cluster, snapshot: StorageSnapshot): StorageSnapshot {
  const { origin, revision, path } = snapshot;
  if (origin === 'server') return snapshot;
  const forms = builtInForms();
  const collections = new Map<ResourceName, CollectionSnapshot>();
  const read = (resource: ResourceName, collection: CollectionSnapshot): void => {
    const objects = new Map<ObjectKey, StoredObject>();
    for (const [key, object] of collection.objects) {
      objects.set(key, readObject(resource, object, forms.get(resource)));
    }
    collections.set(resource, { ...collection, objects });
  };
  const definitions = snapshot.collections.get(DEFINITIONS);
  if (definitions !== undefined) read(DEFINITIONS, definitions);
  for (const definition of collections.get(DEFINITIONS)?.objects.values() ?? []) {
    requireDefinition(cluster, definition);
    forms.set(definition.metadata.name, customForm(definition));
  }
  for (const [resource, collection] of snapshot.collections) {
    if (resource !== DEFINITIONS) read(resource, collection);
  }
  return new StorageSnapshot(revision, collections, origin, path);
}

function builtInForms(): Map<ResourceName, Form> {
  const forms = new Map<ResourceName, Form>();
  for (const each of [...BUILT_IN_RESOURCES, ...MIGRATION_RESOURCES, ...OLDER_RESOURCES]) {
    // Events are stored as core Events.
    if (!each.verbs.includes('list') || each.group === 'events.k8s.io') continue;
    const name = resourceName(each);
    const apiVersions = new Set([...(forms.get(name)?.apiVersions ?? []), apiVersionOf(each)]);
    const { kind, namespaced } = each;
    forms.set(name, { kind, namespaced, apiVersions, custom: false });
  }
  return forms;
}

function customForm(definition: StoredObject): Form {
  const { group, names, scope, versions } = specOf(definition);
  const apiVersions = new Set(versions.map(({ name }) => `${group}/${name}`));
  return { kind: names.kind, namespaced: scope === 'Namespaced', apiVersions, custom: true };
}

/** @throws ImpossibleSnapshot `CONFIG`. */
function readObject(
  resource: ResourceName,
  object: StoredObject,
  form: Form | undefined,
): StoredObject {
  if (form === undefined) {
    throw impossible(resource, object, 'is of a resource that is not known');
  }
  const problem = formProblem(object, form);
  if (problem !== undefined) throw impossible(resource, object, problem);
  return form.custom
    ? {
        ...object,
        metadata: decodeMetadata(object.metadata as unknown as Json).value as unknown as ObjectMeta,
      }
    : readBuiltIn(resource, object);
}

function formProblem(object: StoredObject, form: Form): string | undefined {
  const { apiVersion, kind, metadata } = object;
  if (kind !== form.kind) return `has the kind ${JSON.stringify(kind)} and not ${form.kind}`;
  if (!form.apiVersions.has(apiVersion)) {
    return `has the apiVersion ${JSON.stringify(apiVersion)}; known: ${[...form.apiVersions].join(', ')}`;
  }
  if (form.namespaced !== ((metadata.namespace ?? '') !== '')) {
    return form.namespaced ? 'has no namespace' : 'has a namespace, and its kind has none';
  }
  return undefined;
}

/** @throws ImpossibleSnapshot `CONFIG`. */
function readBuiltIn(resource: ResourceName, object: StoredObject): StoredObject {
  const typeName = builtInKindName(object.apiVersion, object.kind);
  if (typeName === undefined) return object;
  const { value, mismatch, unknown } = decodeStruct(object, typeName);
  if (mismatch !== undefined) throw impossible(resource, object, describeMismatch(mismatch));
  if (unknown.length > 0) {
    throw impossible(resource, object, `has the field ${unknown[0]}, which is not known`);
  }
  // The object is validated like a changed object. The rules for new objects would refuse fields that the
  // server has set after the create.
  const read = value as StoredObject;
  const missing = missingField(validateBuiltIn(read, { ...read, '': '' }));
  if (missing !== undefined) {
    throw impossible(resource, object, `${missing.field}: ${missing.message}`);
  }
  return read;
}

function missingField(problems: readonly FieldError[]): FieldError | undefined {
  return problems.find(({ reason }) => reason === 'FieldValueRequired');
}

function requireDefinition(cluster: Cluster, definition: StoredObject): void {
  const { spec, status } = definition;
  // The server will write the status of the definition, so the immutable fields must be valid.
  const problem =
    missingField(validateDefinition(definition)) ?? validateDefinition(definition, definition)[0];
  if (problem !== undefined) {
    throw impossible(DEFINITIONS, definition, `${problem.field}: ${problem.message}`);
  }
  if (!isObject(status) || !isObject(spec) || !Array.isArray(spec.versions)) {
    throw impossible(DEFINITIONS, definition, 'has no status or no versions');
  }
  try {
    const gate = new ServingGate(cluster, definition.metadata.name, NO_PACE, 0);
    customResources(definition, gate, cluster.webhooks);
  } catch (error) {
    throw impossible(DEFINITIONS, definition, `cannot be served: ${messageOf(error)}`);
  }
}

function impossible(resource: ResourceName, object: StoredObject, problem: string): Error {
  const { namespace = '', name } = object.metadata;
  const key = namespace === '' ? name : `${namespace}/${name}`;
  return new ImpossibleSnapshot(`${resource} ${key}: ${problem}`);
}
