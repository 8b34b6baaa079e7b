import { isObject, type Json } from '../objects/metadata.ts';
import { SCHEMAS } from './type-schema.ts';

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const KINDS = 'x-kubernetes-group-version-kind';

/**
 * Converts a schema of OpenAPI v3 to v2. Like kube-apiserver, omits what kubectl would misunderstand: kubectl
 * treats every declared list of fields as complete, and does not know that a value may be null.
 */
export function olderSchema(schema: Json): Json {
  // If any field were declared, kubectl would refuse all other fields.
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

/**
 * The schema that this schema refers to. In v2 the reference stands alone, without the `allOf` that v3 puts
 * around it.
 */
function referenceOf({ $ref, allOf }: Json): string | undefined {
  const only = Array.isArray(allOf) && allOf.length === 1 ? (allOf[0] as Json).$ref : undefined;
  const reference = $ref ?? only;
  return typeof reference === 'string' ? reference.replace(SCHEMAS, '#/definitions/') : undefined;
}

function extensionsOf(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name.startsWith('x-')));
}

/**
 * Whether all alternatives are scalars, as for quantities and ports. OpenAPI v2 has no alternatives, but a
 * value that v2 declares as a string may also be a number.
 */
function isScalarOfTypes(oneOf: unknown): boolean {
  return Array.isArray(oneOf) && oneOf.every((one) => isObject(one) && one.type !== undefined);
}

/**
 * Removes `type`, `items` and `properties` from a schema where kubectl would take them for a complete
 * declaration.
 * @param nullable - whether the value may be null. v2 cannot express this, so then any value is allowed.
 */
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
