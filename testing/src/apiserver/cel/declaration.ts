import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import type { StructuralSchema } from 'chancery/internal';
import { valuesSchema } from 'chancery/internal-objects';
import { isObject } from '../objects/metadata.ts';
import { BOOL, DYN, INT, listOf, mapOf, STRING, simple, type Type } from './checker/type.ts';
import { celFieldName } from './expression/field-name.ts';
import { celEquals } from './runtime/value-equality.ts';

/** A schema as rules see it: its CEL type, and the conversion from JSON to CEL values. */
export interface Declaration {
  /** The name of the type in the library that evaluates expressions. */
  readonly type: string;
  /** The type that our own type checker uses. That checker is a port of the server's type checker. */
  readonly checked: Type;
  toCel(value: unknown): unknown;
}

/** The metadata that a rule sees, for an object that has an apiVersion and kind. */
const METADATA: StructuralSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};

const RESOURCE_FIELDS: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: METADATA,
};

/** Gives names to the types of one environment. Each name is used only once. */
export class Declarations {
  readonly #environment: CelEnvironment;
  #count = 0;

  constructor(environment: CelEnvironment) {
    this.#environment = environment;
  }

  /**
   * The declaration of a schema. Undefined for a schema without a type, because rules cannot see its values.
   *
   * @param name - the name of an object's type. The server builds the name from the time of day, so
   * that no rule can use it, and from the path (`MaybeAssignTypeName`, k8s.io/apiserver,
   * pkg/cel/types.go).
   */
  of(schema: StructuralSchema, isRoot: boolean, name = 'selfType'): Declaration | undefined {
    const declared = this.#declare(schema, isRoot, name);
    if (declared === undefined || schema.nullable !== true) return declared;
    const toCel = (value: unknown): unknown => (value === null ? null : declared.toCel(value));
    return { type: 'dyn', checked: declared.checked, toCel };
  }

  #declare(schema: StructuralSchema, isRoot: boolean, name: string): Declaration | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) return INT_OR_STRING;
    switch (schema.type) {
      case 'array':
        return this.#list(schema, name);
      case 'object':
        return this.#map(schema, name) ?? this.#object(schema, isRoot, name);
      case 'string':
        return this.#text(schema.format);
      default:
        return SCALARS[schema.type ?? ''];
    }
  }

  #list({ items }: StructuralSchema, name: string): Declaration | undefined {
    const isResource = items?.['x-kubernetes-embedded-resource'] === true;
    const item = items && this.of(items, isResource, `${name}.@idx`);
    if (item === undefined) return undefined;
    return {
      type: `list<${item.type}>`,
      checked: listOf(item.checked),
      toCel: (value) => (Array.isArray(value) ? value.map((one) => item.toCel(one)) : value),
    };
  }

  #map(schema: StructuralSchema, name: string): Declaration | undefined {
    const values = valuesSchema(schema);
    if (values === undefined) return undefined;
    const isResource = values['x-kubernetes-embedded-resource'] === true;
    const value = this.of(values, isResource, `${name}.@elem`);
    if (value === undefined) return undefined;
    return {
      type: `map<string, ${value.type}>`,
      checked: mapOf(STRING, value.checked),
      toCel: (object) =>
        isObject(object)
          ? new Map(Object.entries(object).map(([key, one]) => [key, value.toCel(one)]))
          : object,
    };
  }

  #object(schema: StructuralSchema, isRoot: boolean, typeName: string): Declaration {
    const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
    const properties = { ...schema.properties, ...(isResource ? RESOURCE_FIELDS : {}) };
    const fields = new Map<string, { readonly name: string; readonly of: Declaration }>();
    for (const [field, property] of Object.entries(properties)) {
      const name = celFieldName(field);
      const of = this.of(property, false, `${typeName}.${name}`);
      if (name !== undefined && of !== undefined) fields.set(field, { name, of });
    }
    return this.#register(fields, typeName);
  }

  #register(
    fields: ReadonlyMap<string, { readonly name: string; readonly of: Declaration }>,
    name: string,
  ): Declaration {
    const type = `object${this.#count++}`;
    // The library finds the type of a value by its class, so each type gets a class.
    const Value = class extends Map<string, unknown> {};
    const types = Object.fromEntries([...fields.values()].map(({ name, of }) => [name, of.type]));
    this.#environment.registerType(type, { ctor: Value, fields: types });
    this.#environment.registerOperator(`${type} == ${type}`, celEquals);
    this.#environment.registerOperator(`${type} == null`, celEquals);
    const checkedFields = new Map(Array.from(fields.values(), (one) => [one.name, one.of.checked]));
    return {
      type,
      checked: { kind: 'object', name, fields: checkedFields },
      toCel: (object) => {
        if (!isObject(object)) return object;
        const value = new Value();
        for (const [field, { name, of }] of fields) {
          if (Object.hasOwn(object, field)) value.set(name, of.toCel(object[field]));
        }
        return value;
      },
    };
  }

  #text(format: string | undefined): Declaration {
    switch (format) {
      case 'byte':
        return {
          type: 'bytes',
          checked: simple('bytes'),
          toCel: (text) => Buffer.from(String(text), 'base64'),
        };
      case 'date':
      case 'date-time':
      case 'datetime':
        return {
          type: 'google.protobuf.Timestamp',
          checked: simple('google.protobuf.Timestamp'),
          toCel: (text) => new Date(String(text)),
        };
      case 'duration':
        return {
          type: 'google.protobuf.Duration',
          checked: simple('google.protobuf.Duration'),
          toCel: (text) => {
            const literal = JSON.stringify(celDurationText(String(text)));
            return this.#environment.evaluate(`duration(${literal})`);
          },
        };
      default:
        return { type: 'string', checked: STRING, toCel: (text) => text };
    }
  }
}

const SCALARS: Readonly<Record<string, Declaration>> = {
  boolean: { type: 'bool', checked: BOOL, toCel: (value) => value },
  integer: {
    type: 'int',
    checked: INT,
    toCel: (value) => (typeof value === 'number' ? BigInt(value) : value),
  },
  number: {
    type: 'double',
    checked: simple('double'),
    toCel: (value) => (typeof value === 'bigint' ? Number(value) : value),
  },
};

const INT_OR_STRING: Declaration = {
  type: 'dyn',
  checked: DYN,
  toCel: (value) => (Number.isInteger(value) ? BigInt(value as number) : value),
};

/** Units in nanoseconds. Each is recognised by the beginning of its name, and the first match counts. */
const UNITS: readonly (readonly [RegExp, bigint])[] = [
  [/^n/, 1n],
  [/^(us|µs|micro)/, 1_000n],
  [/^(ms|milli)/, 1_000_000n],
  [/^s/, 1_000_000_000n],
  [/^m/, 60_000_000_000n],
  [/^h/, 3_600_000_000_000n],
  [/^d/, 86_400_000_000_000n],
  [/^w/, 604_800_000_000_000n],
];

/**
 * Converts a duration as schemas allow it, such as `3 weeks`, to a duration that CEL can parse, in
 * nanoseconds.
 */
function celDurationText(text: string): string {
  if (/^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) {
    return text === '0' ? '0s' : text;
  }
  const parts = text.toLowerCase().matchAll(/(\d+)\s*([a-zµ]+)/g);
  const nanos = [...parts].reduce((sum, [, count = '0', unit = '']) => {
    const [, factor = 0n] = UNITS.find(([name]) => name.test(unit)) ?? [];
    return sum + BigInt(count) * factor;
  }, 0n);
  return `${nanos}ns`;
}
