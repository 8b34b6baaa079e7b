import { fieldOf, isJsonObject, type JsonObject } from '../../objects/json-value.ts';
import { OBJECT_META } from '../../objects/struct-decoder.ts';
import { builtInSchema, structSchema } from './built-in-schema.ts';
import type { FieldSchema } from './field-schema.ts';

/**
 * The rules for merging objects of a kind and for the ownership of their fields.
 *
 * @param openApi - the `openAPIV3Schema` of a custom resource.
 */
export function kindSchema(
  apiVersion: string,
  kind: string,
  openApi: JsonObject | undefined,
): FieldSchema {
  const builtIn = builtInSchema(apiVersion, kind);
  if (builtIn !== undefined) return builtIn;
  const known = openApi === undefined ? undefined : CUSTOM_SCHEMAS.get(openApi);
  if (known !== undefined) return known;
  const custom = fromOpenApi(openApi ?? {});
  const schema: FieldSchema = {
    ...custom,
    fields: {
      apiVersion: { scalar: 'string' },
      kind: { scalar: 'string' },
      ...custom.fields,
      metadata: structSchema(OBJECT_META),
    },
    present: new Map([['metadata', {}]]),
  };
  if (openApi !== undefined) CUSTOM_SCHEMAS.set(openApi, schema);
  return schema;
}

/** The schemas of custom resources. Each schema is cached as long as its definition exists. */
const CUSTOM_SCHEMAS = new WeakMap<JsonObject, FieldSchema>();

function fromOpenApi(schema: JsonObject): FieldSchema {
  return { ...scalarSchema(schema.type), ...listSchema(schema), ...mapSchema(schema) };
}

function scalarSchema(type: unknown): FieldSchema {
  if (type === 'string' || type === 'boolean') return { scalar: type };
  return type === 'integer' || type === 'number' ? { scalar: 'numeric' } : {};
}

function listSchema(schema: JsonObject): FieldSchema {
  const items = {
    ...(isJsonObject(schema.items) ? { items: fromOpenApi(schema.items) } : {}),
    ...(schema.type === 'array' ? { list: true } : {}),
  };
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return { ...items, set: true };
    case 'map':
      return { ...items, ...listMapKeys(schema) };
    default:
      return items; // lists are atomic by default
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
    ...(schema.type === 'object' ? { map: true } : {}),
    ...(schema['x-kubernetes-map-type'] === 'atomic' ? { atomic: true } : {}),
    ...(isJsonObject(properties) ? { fields: fieldsFrom(properties), ...closedness(schema) } : {}),
    ...(isJsonObject(additionalProperties) ? { items: fromOpenApi(additionalProperties) } : {}),
  };
}

/** Sets `closed` if unknown fields are refused. A schema that preserves unknown fields accepts them. */
function closedness(schema: JsonObject): FieldSchema {
  const { additionalProperties } = schema;
  const isOpen =
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-embedded-resource'] === true ||
    (additionalProperties !== undefined && additionalProperties !== false);
  return isOpen ? {} : { closed: true };
}

function fieldsFrom(properties: JsonObject): Readonly<Record<string, FieldSchema>> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
      .map(([name, property]) => [name, fromOpenApi(property)]),
  );
}
