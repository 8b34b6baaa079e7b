import { isObject, type Json } from '../objects/metadata.ts';
import { SCHEMAS } from './type-schema.ts';

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const KINDS = 'x-kubernetes-group-version-kind';

/**
 * A schema of OpenAPI v3 in the words of v2, with what kubectl would misread left out, as
 * kube-apiserver leaves it out: kubectl takes every declared list of fields for a complete one, and
 * does not know that a value may be null.
 */
export function olderSchema(schema: Json): Json {
  // With any field declared, kubectl would refuse all others.
  if (schema[PRESERVE] === true && schema[KINDS] !== undefined) {
    return { type: 'object', [KINDS]: schema[KINDS] };
  }
  const reference = referenceOf(schema);
  if (reference !== undefined) {
    const { description } = schema;
    const meaning = description === undefined ? {} : { description };
    return { ...meaning, ...extensionsOf(schema), $ref: reference };
  }
  const { allOf, anyOf, oneOf, not, nullable, ...rest } = schema;
  const known = isScalarOfTypes(oneOf) ? { ...rest, type: 'string' } : rest;
  return withInner(withoutUndeclared(known, nullable === true));
}

/** A reference stands by itself in v2, without what v3 wraps it into. */
function referenceOf({ $ref, allOf }: Json): string | undefined {
  const only = Array.isArray(allOf) && allOf.length === 1 ? (allOf[0] as Json).$ref : undefined;
  const reference = $ref ?? only;
  return typeof reference === 'string' ? reference.replace(SCHEMAS, '#/definitions/') : undefined;
}

function extensionsOf(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name.startsWith('x-')));
}

/** A quantity, or a number or a name: v2 has no alternatives, and its texts may be numbers. */
function isScalarOfTypes(oneOf: unknown): boolean {
  return Array.isArray(oneOf) && oneOf.every((one) => isObject(one) && one.type !== undefined);
}

/** @param nullable - whether null is a value, for which v2 has no word: then any value is. */
function withoutUndeclared(schema: Json, nullable: boolean): Json {
  const { type, items, properties, ...rest } = schema;
  const isOpen = nullable || rest[PRESERVE] === true;
  const fields = {
    ...(isOpen || items === undefined ? {} : { items }),
    ...(isOpen || properties === undefined ? {} : { properties }),
  };
  const isUntyped =
    nullable || (type === 'object' && isOpen) || (type === 'array' && fields.items === undefined);
  return { ...rest, ...fields, ...(isUntyped || type === undefined ? {} : { type }) };
}

function withInner({ items, properties, additionalProperties, required, ...rest }: Json): Json {
  const fields = Object.entries(isObject(properties) ? properties : {}) as [string, Json][];
  const nullables = new Set(
    fields.flatMap(([name, { nullable }]) => (nullable === true ? name : [])),
  );
  const isNullableMap = isObject(additionalProperties) && additionalProperties.nullable === true;
  const left = (Array.isArray(required) ? required : []).filter(
    (name) => !isNullableMap && !nullables.has(name),
  );
  return {
    ...rest,
    ...(left.length > 0 ? { required: left } : {}),
    ...(isObject(items) ? { items: olderSchema(items) } : {}),
    ...(isObject(properties)
      ? { properties: Object.fromEntries(fields.map(([name, one]) => [name, olderSchema(one)])) }
      : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties: isObject(additionalProperties)
            ? olderSchema(additionalProperties)
            : additionalProperties,
        }),
  };
}
