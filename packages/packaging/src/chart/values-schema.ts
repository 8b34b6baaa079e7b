import { NODE_OPTIONS, QUANTITY, RESOURCE_NAMES, TOKEN_VARIABLE } from './limits.ts';
import type { Kind, Setting } from './setting.ts';

/** A JSON schema with the keywords that charts use. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

const NAME_OF_LABEL =
  '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';
export const VARIABLE_NAME: string = '^[A-Za-z_][A-Za-z0-9_]*$';
export { NAME_OF_LABEL };

/**
 * A hint for users who write a wrong key. In the schema it is the only allowed value (`const`) of
 * that key, because validators print the expected value in their error message.
 */
const HINT = 'this key is called `enabled`, as in charts of kubebuilder since 4.15';

/** The content of `values.schema.json`. It allows only the values of the chart. */
export function valuesSchema(settings: readonly Setting[], comment: string): Schema {
  const { properties, ...schema } = groupSchema(settings, '');
  return {
    $comment: comment,
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...schema,
    // The chart may be a dependency of another chart. Then Helm adds the value `global`, and a
    // condition in the other chart may read the value `enabled`.
    properties: { ...properties, global: { type: 'object' }, enabled: { type: 'boolean' } },
  };
}

function groupSchema(settings: readonly Setting[], prefix: string): Schema {
  const byKey = Map.groupBy(settings, ({ path }) => path.slice(prefix.length).split('.')[0] ?? '');
  const properties = [...byKey].map(([key, members]) => {
    const [only] = members;
    const isLeaf = members.length === 1 && only?.path === `${prefix}${key}`;
    return [key, isLeaf ? leafSchema(only) : groupSchema(members, `${prefix}${key}.`)] as const;
  });
  const hint = byKey.has('enabled') ? { enable: { const: HINT } } : {};
  return {
    type: 'object',
    additionalProperties: false,
    properties: { ...Object.fromEntries(properties), ...hint },
  };
}

function leafSchema({ comment, kind }: Setting): Schema {
  return { description: comment, ...kindSchema(kind) };
}

function kindSchema(kind: Kind): Schema {
  switch (kind.is) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer', minimum: kind.minimum, maximum: kind.maximum };
    case 'choice':
      return { enum: kind.of };
    case 'text':
      return textSchema(kind);
    case 'texts':
      return { type: 'array', maxItems: 500, uniqueItems: true, items: textSchema(kind) };
    case 'map':
      return {
        type: 'object',
        propertyNames: { pattern: NAME_OF_LABEL, maxLength: 317, ...refusing(kind.refused) },
        additionalProperties: textSchema(kind),
      };
    case 'object':
      return { type: 'object' };
    case 'resources':
      return resourcesSchema();
    case 'objects':
      return { type: 'array', items: { type: 'object' } };
    case 'security':
      return securitySchema(kind.fields);
    case 'variables':
      return variablesSchema(kind.refused);
    case 'overrides':
      return {
        type: 'object',
        propertyNames: variableName(kind.refused),
        properties: { NODE_OPTIONS: { type: 'string', pattern: NODE_OPTIONS } },
        additionalProperties: { type: 'string' },
      };
    case 'names':
      return { type: 'array', items: namedSchema() };
  }
}

function textSchema({
  pattern,
  maxLength,
}: {
  readonly pattern: string;
  readonly maxLength: number;
}): Schema {
  return { type: 'string', pattern, maxLength };
}

function refusing(patterns: readonly string[]): Schema {
  if (patterns.length === 0) return {};
  return { not: { anyOf: patterns.map((pattern) => ({ pattern })) } };
}

function resourcesSchema(): Schema {
  const quantity = { type: ['string', 'integer'], pattern: QUANTITY, minimum: 0 };
  const quantities = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(RESOURCE_NAMES.map((name) => [name, quantity])),
  };
  return {
    type: 'object',
    additionalProperties: false,
    properties: { limits: quantities, requests: quantities },
  };
}

function securitySchema(fields: Readonly<Record<string, unknown>>): Schema {
  const fixed = Object.entries(fields).map(([name, value]) => [name, { const: value }] as const);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(fixed) };
}

function variableName(refused: readonly string[]): Schema {
  return {
    type: 'string',
    pattern: VARIABLE_NAME,
    maxLength: 253,
    not: { anyOf: [{ enum: refused }, { type: 'string', pattern: TOKEN_VARIABLE }] },
  };
}

function variablesSchema(refused: readonly string[]): Schema {
  const source = {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: {
      secretKeyRef: referenceSchema(['name', 'key']),
      configMapKeyRef: referenceSchema(['name', 'key']),
    },
  };
  return {
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: {
        name: variableName(refused),
        value: { type: 'string' },
        valueFrom: source,
      },
      if: { type: 'object', properties: { name: { const: 'NODE_OPTIONS' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
      then: {
        type: 'object',
        required: ['value'],
        properties: { value: { type: 'string', pattern: NODE_OPTIONS } },
      },
    },
  };
}

/** A regular expression for names of objects. The template uses it as well. */
export const OBJECT_NAME: string = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$';

function namedSchema(): Schema {
  const name = { type: 'string', pattern: OBJECT_NAME, maxLength: 253 };
  return { type: 'object', additionalProperties: false, required: ['name'], properties: { name } };
}

function referenceSchema(required: readonly string[]): Schema {
  return {
    type: 'object',
    additionalProperties: false,
    required,
    properties: {
      ...Object.fromEntries(required.map((name) => [name, { type: 'string', minLength: 1 }])),
      optional: { type: 'boolean' },
    },
  };
}
