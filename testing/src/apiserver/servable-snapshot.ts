import { apiVersionOf, messageOf, resourceName } from 'chancery/internal-objects';
import { builtInKindName } from './built-in-types/built-in-types.ts';
import type { Cluster } from './cluster/cluster.ts';
import { customResources } from './crd/custom-resource.ts';
import { DEFINITIONS, specOf } from './crd/definition.ts';
import { NO_PACE } from './crd/definition-pace.ts';
import { validateDefinition } from './crd/definition-rules/validate-definition.ts';
import { ServingGate } from './crd/serving-gate.ts';
import type { FieldError } from './failures/invalid.ts';
import { isObject } from './objects/metadata.ts';
import type { ResourceName, StoredObject } from './objects/stored-object.ts';
import { decodeStruct, describeMismatch } from './objects/struct-decoder.ts';
import {
  BUILT_IN_RESOURCES,
  MIGRATION_RESOURCES,
  OLDER_RESOURCES,
} from './registry/built-in-resources.ts';
import type { StorageSnapshot } from './storage/snapshot.ts';
import { ImpossibleSnapshot } from './storage/snapshot-contents.ts';
import { validateBuiltIn } from './validation/built-in.ts';

/** What an object of one resource is like. */
interface Form {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly apiVersions: ReadonlySet<string>;
  readonly custom: boolean;
}

/**
 * Refuses a snapshot of a text whose objects this server cannot serve, before anything of it is restored: an unknown
 * resource, another kind than that of the resource, a field of the wrong type, a field that is missing. Controllers
 * and verbs rely on these. Values are not validated again: an earlier release may have accepted them.
 *
 * @throws ImpossibleSnapshot `CONFIG` with the object and what is wrong with it.
 */
export function requireServable(cluster: Cluster, { origin, collections }: StorageSnapshot): void {
  if (origin === 'server') return;
  const forms = builtInForms();
  for (const definition of collections.get(DEFINITIONS)?.objects.values() ?? []) {
    requireWell(DEFINITIONS, definition, forms.get(DEFINITIONS));
    requireDefinition(cluster, definition);
    forms.set(definition.metadata.name, customForm(definition));
  }
  for (const [resource, { objects }] of collections) {
    if (resource === DEFINITIONS) continue;
    for (const object of objects.values()) requireWell(resource, object, forms.get(resource));
  }
}

function builtInForms(): Map<ResourceName, Form> {
  const forms = new Map<ResourceName, Form>();
  for (const each of [...BUILT_IN_RESOURCES, ...MIGRATION_RESOURCES, ...OLDER_RESOURCES]) {
    // Events are stored in the form of the core API.
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

function requireWell(resource: ResourceName, object: StoredObject, form: Form | undefined): void {
  const problem =
    form === undefined ? 'is of a resource that is not known' : problemOf(object, form);
  if (problem !== undefined) throw impossible(resource, object, problem);
}

function problemOf(object: StoredObject, form: Form): string | undefined {
  const { apiVersion, kind, metadata } = object;
  if (kind !== form.kind) return `has the kind ${JSON.stringify(kind)} and not ${form.kind}`;
  if (!form.apiVersions.has(apiVersion)) {
    return `has the apiVersion ${JSON.stringify(apiVersion)}; known: ${[...form.apiVersions].join(', ')}`;
  }
  if (form.namespaced !== ((metadata.namespace ?? '') !== '')) {
    return form.namespaced ? 'has no namespace' : 'has a namespace, and its kind has none';
  }
  return form.custom ? undefined : fieldProblem(object);
}

function fieldProblem(object: StoredObject): string | undefined {
  const typeName = builtInKindName(object.apiVersion, object.kind);
  if (typeName === undefined) return undefined;
  const { mismatch, unknown } = decodeStruct(object, typeName);
  if (mismatch !== undefined) return describeMismatch(mismatch);
  if (unknown.length > 0) return `has the field ${unknown[0]}, which is not known`;
  // As for a change: a new object must not have what the server has set since.
  const missing = missingField(validateBuiltIn(object, { ...object, '': '' }));
  return missing && `${missing.field}: ${missing.message}`;
}

function missingField(problems: readonly FieldError[]): FieldError | undefined {
  return problems.find(({ reason }) => reason === 'FieldValueRequired');
}

function requireDefinition(cluster: Cluster, definition: StoredObject): void {
  const { spec, status } = definition;
  const missing = missingField(validateDefinition(definition));
  if (missing !== undefined) {
    throw impossible(DEFINITIONS, definition, `${missing.field}: ${missing.message}`);
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
