import { builtInSchema } from './built-in-schema.ts';
import type { FieldSchema } from './field-schema.ts';
import { fieldOf, isJsonObject, type JsonObject } from './json-value.ts';
import { METADATA } from './pod-schema.ts';

/** The groups that the API server itself serves; `''` is the core group. */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'extensions',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** True for an apiVersion whose kinds are Go types in the server, not custom resources. */
export function isBuiltInVersion(apiVersion: string): boolean {
  const slash = apiVersion.indexOf('/');
  return BUILT_IN_GROUPS.has(slash < 0 ? '' : apiVersion.slice(0, slash));
}

/**
 * How the objects of a kind are merged and owned.
 *
 * @param openApi - the `openAPIV3Schema` of a custom resource.
 */
export function kindSchema(
  apiVersion: string,
  kind: string,
  openApi: JsonObject | undefined,
): FieldSchema {
  if (isBuiltInVersion(apiVersion)) return builtInSchema(kind);
  const custom = fromOpenApi(openApi ?? {});
  return { ...custom, fields: { ...custom.fields, metadata: METADATA } };
}

function fromOpenApi(schema: JsonObject): FieldSchema {
  return { ...listSchema(schema), ...mapSchema(schema) };
}

function listSchema(schema: JsonObject): FieldSchema {
  const items = isJsonObject(schema.items) ? { items: fromOpenApi(schema.items) } : {};
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return { ...items, set: true };
    case 'map':
      return { ...items, ...listMapKeys(schema) };
    default:
      return items; // atomic is the rule for lists
  }
}

function listMapKeys(schema: JsonObject): FieldSchema {
  const named = schema['x-kubernetes-list-map-keys'];
  const keys = Array.isArray(named) ? named.map(String) : [];
  const properties = isJsonObject(schema.items) ? schema.items.properties : undefined;
  const defaults = keys.flatMap((key): [string, unknown][] => {
    const property = isJsonObject(properties) ? fieldOf(properties, key) : undefined;
    const value = isJsonObject(property) ? property.default : undefined;
    return value === undefined ? [] : [[key, value]];
  });
  return { keys, keyDefaults: Object.fromEntries(defaults) };
}

function mapSchema(schema: JsonObject): FieldSchema {
  const { properties, additionalProperties } = schema;
  return {
    ...(schema['x-kubernetes-map-type'] === 'atomic' ? { atomic: true } : {}),
    ...(isJsonObject(properties) ? { fields: fieldsFrom(properties) } : {}),
    ...(isJsonObject(additionalProperties) ? { items: fromOpenApi(additionalProperties) } : {}),
  };
}

function fieldsFrom(properties: JsonObject): Readonly<Record<string, FieldSchema>> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
      .map(([name, property]) => [name, fromOpenApi(property)]),
  );
}
