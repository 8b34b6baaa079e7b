import { isMapping } from '../../core/mapping.ts';
import { OBJECT_FIELDS, type StructuralSchema } from '../../model/structural-schema.ts';
import { type Json, SCHEMA_TYPES } from '../keywords.ts';
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../validation/field-errors.ts';
import { ruleProblems } from './rule-problems.ts';

/** Keywords of JSON Schema that no definition may use. */
const UNSUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
];

/** The facts about the position of a schema that determine which keywords it may have. */
interface Place {
  readonly isRoot: boolean;
  /**
   * True if the schema describes the apiVersion, kind or metadata of an object, or a field in its metadata.
   */
  readonly isObjectMeta: boolean;
  /** Why no default is allowed here; undefined if it is allowed. */
  readonly noDefault: string | undefined;
}

const ROOT: Place = { isRoot: true, isObjectMeta: false, noDefault: undefined };

/** The problems of a schema and of the schemas in it, except for structural problems. */
export function keywordProblems(
  schema: StructuralSchema,
  path: string,
  place: Place = ROOT,
): readonly FieldError[] {
  const below = schemasIn(schema, path, place).flatMap((inner) => keywordProblems(...inner));
  return [
    ...ownProblems(schema, path, place),
    ...below,
    ...mapTypeProblems(schema, path),
    ...listTypeProblems(schema, path),
    ...(schema['x-kubernetes-validations'] ?? []).flatMap((rule, at) =>
      ruleProblems(rule, schema, `${path}.x-kubernetes-validations[${at}]`),
    ),
  ];
}

type Inner = readonly [StructuralSchema, string, Place];

function schemasIn(schema: StructuralSchema, path: string, place: Place): readonly Inner[] {
  const { additionalProperties, not } = schema;
  const within = { ...place, isRoot: false };
  const found: Inner[] = [];
  if (isMapping(additionalProperties)) {
    const inner = additionalProperties as StructuralSchema;
    found.push([inner, `${path}.additionalProperties`, inMapOf(within)]);
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    found.push([child, `${path}.properties[${name}]`, inField(schema, name, place)]);
  }
  if (not !== undefined) found.push([not, `${path}.not`, within]);
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    (schema[name] ?? []).forEach((child, at) => {
      found.push([child, `${path}.${name}[${at}]`, within]);
    });
  }
  const items: unknown = schema.items;
  if (Array.isArray(items)) {
    items.forEach((item, at) => {
      found.push([item as StructuralSchema, `${path}.items[${at}]`, within]);
    });
  } else if (schema.items !== undefined) found.push([schema.items, `${path}.items`, within]);
  return found;
}

/**
 * The place of the schema for the values of a map. In the metadata of an object, this schema may have no
 * default, because it is not known in advance which entries the map has.
 */
function inMapOf(place: Place): Place {
  if (!place.isObjectMeta) return place;
  return { ...place, noDefault: 'inside additionalProperties applying to object metadata' };
}

function inField(schema: StructuralSchema, name: string, { isRoot, ...place }: Place): Place {
  const isObjectAt = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  if (!isObjectAt || !OBJECT_FIELDS.has(name)) return { ...place, isRoot: false };
  const noDefault = isRoot ? `in top-level ${name}` : place.noDefault;
  return { isRoot: false, isObjectMeta: true, noDefault };
}

function ownProblems(
  schema: StructuralSchema,
  path: string,
  { isObjectMeta, noDefault }: Place,
): readonly FieldError[] {
  const { type, additionalProperties, properties } = schema;
  const problems: FieldError[] = [];
  if (type === 'null') {
    problems.push(notSupported(`${path}.type`, type, SCHEMA_TYPES));
    const why = 'type cannot be set to null, use nullable as an alternative';
    problems.push(forbidden(`${path}.type`, why));
  } else if (type && !SCHEMA_TYPES.includes(type)) {
    problems.push(notSupported(`${path}.type`, type, SCHEMA_TYPES));
  }
  if (schema.default !== undefined && noDefault !== undefined) {
    problems.push(forbidden(`${path}.default`, `must not be set ${noDefault}`));
  }
  for (const name of UNSUPPORTED) {
    if ((schema as Json)[name] === undefined) continue;
    problems.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (Array.isArray(schema.items)) {
    problems.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (isObjectMeta && schema['x-kubernetes-embedded-resource'] === true) {
    const why = 'must not be used inside of resource meta';
    problems.push(forbidden(`${path}.x-kubernetes-embedded-resource`, why));
  }
  if (schema.uniqueItems === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    problems.push(forbidden(`${path}.uniqueItems`, why));
  }
  const both = Object.keys(properties ?? {}).length > 0 && additionalProperties !== undefined;
  if (both && additionalProperties !== true) {
    const why = 'additionalProperties and properties are mutual exclusive';
    problems.push(forbidden(`${path}.additionalProperties`, why));
  }
  const preserve = 'x-kubernetes-preserve-unknown-fields';
  if (schema[preserve] === false) {
    problems.push(invalid(`${path}.${preserve}`, false, 'must be true or undefined'));
  }
  return problems;
}

function mapTypeProblems(schema: StructuralSchema, path: string): readonly FieldError[] {
  const kind = schema['x-kubernetes-map-type'];
  if (kind === undefined) return [];
  const supported = ['atomic', 'granular'];
  return [
    ...typeMustBe('object', schema, path, 'x-kubernetes-map-type'),
    ...(supported.includes(kind)
      ? []
      : [notSupported(`${path}.x-kubernetes-map-type`, kind, supported)]),
  ];
}

function typeMustBe(
  wanted: string,
  { type }: StructuralSchema,
  path: string,
  because: string,
): readonly FieldError[] {
  if (type === wanted) return [];
  const why = `must be ${wanted} if ${because} is specified`;
  return [type ? invalid(`${path}.type`, type, why) : required(`${path}.type`, why)];
}

function listTypeProblems(schema: StructuralSchema, path: string): readonly FieldError[] {
  const kind = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const problems: FieldError[] = [];
  const supported = ['atomic', 'map', 'set'];
  if (kind !== undefined) {
    problems.push(...typeMustBe('array', schema, path, 'x-kubernetes-list-type'));
    if (kind === 'set') problems.push(...setItemProblems(schema, path));
    if (!supported.includes(kind)) {
      problems.push(notSupported(`${path}.x-kubernetes-list-type`, kind, supported));
    }
  }
  if (keys.length > 0 && kind !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${path}.x-kubernetes-list-type`;
    problems.push(kind === undefined ? required(at, why) : invalid(at, kind, why));
  }
  if (kind === 'map') problems.push(...listMapProblems(schema, keys, path));
  if ((kind === 'map' || kind === 'set') && schema.items?.nullable === true) {
    const why = `cannot be nullable when x-kubernetes-list-type is ${kind}`;
    problems.push(forbidden(`${path}.items.nullable`, why));
  }
  if (kind === 'map') problems.push(...keyFieldProblems(schema, keys, path));
  return problems;
}

/**
 * The problems of the schema for a set's items. Items of a set are compared as a whole, so they must be
 * atomic.
 */
function setItemProblems({ items }: StructuralSchema, path: string): readonly FieldError[] {
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.['x-kubernetes-list-type'];
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalid(`${path}.items.x-kubernetes-list-type`, listType, why)];
  }
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [invalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, why)];
  }
  return [];
}

function listMapProblems(
  { items }: StructuralSchema,
  keys: readonly string[],
  path: string,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  const keysAt = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) {
    problems.push(required(keysAt, 'must not be empty if x-kubernetes-list-type is map'));
  }
  if (items === undefined) {
    const why = 'must have a schema if x-kubernetes-list-type is map';
    return [...problems, required(`${path}.items`, why)];
  }
  if (items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    return [...problems, invalid(`${path}.items.type`, items.type ?? '', why)];
  }
  for (const [at, key] of keys.entries()) {
    const type = items.properties?.[key]?.type;
    if (items.properties?.[key] === undefined) {
      problems.push(invalid(keysAt, keys, 'entries must all be names of item properties'));
    } else if (type === 'array' || type === 'object') {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      problems.push(invalid(`${path}.items.properties[${key}].type`, items.type, why));
    }
    if (keys.indexOf(key) < at) {
      problems.push(invalid(keysAt, keys, 'must not contain duplicate entries'));
    }
  }
  return problems;
}

/**
 * The problems of the fields that are keys of a list. Each key must be required or have a default, because
 * two items without a value for the key could not be distinguished.
 */
function keyFieldProblems(
  { items }: StructuralSchema,
  keys: readonly string[],
  path: string,
): readonly FieldError[] {
  return keys.flatMap((key) => {
    const property = items?.properties?.[key];
    if (property === undefined) return [];
    const at = `${path}.items.properties[${key}]`;
    const given = (items?.required ?? []).includes(key) || property.default !== undefined;
    const because = 'this property is in x-kubernetes-list-map-keys, so it';
    return [
      ...(given
        ? []
        : [required(`${at}.default`, `${because} must have a default or be a required property`)]),
      ...(property.nullable === true
        ? [forbidden(`${at}.nullable`, `${because} cannot be nullable`)]
        : []),
    ];
  });
}
