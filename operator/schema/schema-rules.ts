import { isDeepStrictEqual } from 'node:util';
import {
  type StructuralSchema,
  type ValidationRule,
  valuesSchema,
} from '../model/structural-schema.ts';
import { definitionError } from './field-path.ts';
import { prune } from './validation/stored-form.ts';
import { validateBySchema } from './validation/validate.ts';

/**
 * Refuses what the API server would refuse in a structural schema: invalid defaults, lists whose items
 * cannot be distinguished, and unusable rules.
 *
 * @throws ConfigurationError `CONFIG` with the path and the remedy.
 */
export function refuseUnusable(schema: StructuralSchema, path: string): void {
  refuseDefault(schema, path);
  refuseListType(schema, path);
  refuseEmbedded(schema, path);
  for (const [at, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    refuseRule(rule, `${path}.x-kubernetes-validations[${at}]`);
  }
  const { properties = {}, items } = schema;
  const values = valuesSchema(schema);
  for (const [name, child] of Object.entries(properties)) refuseUnusable(child, `${path}.${name}`);
  if (items !== undefined) refuseUnusable(items, `${path}[]`);
  if (values !== undefined) refuseUnusable(values, `${path}[*]`);
}

function refuseDefault(schema: StructuralSchema, path: string): void {
  if (schema.default === undefined) return;
  // A path, because a default is no whole object.
  if (!isDeepStrictEqual(prune(schema.default, schema, { path: 'default' }), schema.default)) {
    throw definitionError(path, 'its default has fields that it has not', 'leave them out');
  }
  const [problem] = validateBySchema(schema.default, schema);
  if (problem === undefined) return;
  const remedy = 'write a default that the schema takes';
  throw definitionError(
    path,
    `its default is not valid (${problem.field} ${problem.message})`,
    remedy,
  );
}

function refuseListType(schema: StructuralSchema, path: string): void {
  const { items, 'x-kubernetes-list-type': type } = schema;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (keys.length > 0 && type !== 'map') {
    throw definitionError(path, 'a list with keys is a map', 'write ListMap(…)');
  }
  if (type === undefined || type === 'atomic' || items === undefined) return;
  if (items.nullable === true) {
    throw definitionError(`${path}[]`, `null is no item of a ${type}`, 'take Nullable(…) away');
  }
  if (type === 'map') refuseListMap(items, keys, path);
  else if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    const remedy = 'write ListMap(…) with the keys, or ListSet(atomic(…))';
    throw definitionError(`${path}[]`, 'objects of a set are compared whole', remedy);
  } else if (items.type === 'array' && (items['x-kubernetes-list-type'] ?? 'atomic') !== 'atomic') {
    throw definitionError(`${path}[]`, 'lists in a set are compared whole', 'write ListAtomic(…)');
  }
}

function refuseListMap(items: StructuralSchema, keys: readonly string[], path: string): void {
  if (items.type !== 'object') {
    const remedy = 'write ListMap(Type.Object({ … }), keys), or ListSet(…)';
    throw definitionError(`${path}[]`, 'the items of a list map are objects', remedy);
  }
  if (keys.length === 0) {
    throw definitionError(path, 'a list map without keys', 'name the fields that tell items apart');
  }
  for (const [at, key] of keys.entries()) {
    const field = items.properties?.[key];
    const own = `${path}[].${key}`;
    if (field === undefined) {
      throw definitionError(own, 'is a key of the list, and has no schema', 'add the field');
    }
    if (keys.indexOf(key) < at) {
      throw definitionError(own, 'is a key of the list twice', 'name each key once');
    }
    refuseKey(field, (items.required ?? []).includes(key), own);
  }
}

function refuseKey(field: StructuralSchema, isRequired: boolean, path: string): void {
  const isScalar = field.type !== undefined && !['array', 'object'].includes(field.type);
  if (!isScalar && field['x-kubernetes-int-or-string'] !== true) {
    throw definitionError(path, 'is a key of the list, and no scalar', 'take another field as key');
  }
  if (field.nullable === true) {
    throw definitionError(path, 'is a key of the list, and may be null', 'take Nullable(…) away');
  }
  if (isRequired || field.default !== undefined) return;
  const remedy = 'take Type.Optional(…) away, or give it a default';
  throw definitionError(path, 'is a key of the list, and may be missing', remedy);
}

function refuseEmbedded(schema: StructuralSchema, path: string): void {
  if (schema['x-kubernetes-embedded-resource'] !== true) return;
  if (schema.additionalProperties !== undefined) {
    throw definitionError(path, 'an embedded resource is no map', 'write EmbeddedResource()');
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isOpen || schema.properties !== undefined) return;
  throw definitionError(
    path,
    'nothing of the embedded resource is kept',
    'write EmbeddedResource()',
  );
}

const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

/**
 * Checks everything except the CEL expression. The API server checks that when the definition is installed.
 */
export function refuseRule(
  { rule, message, messageExpression, reason, fieldPath }: ValidationRule,
  path: string,
): void {
  if (typeof rule !== 'string' || rule.trim() === '') {
    throw definitionError(`${path}.rule`, 'is empty', 'write a CEL expression about self');
  }
  for (const [field, text] of Object.entries({ message, messageExpression, fieldPath })) {
    if (text !== undefined && text.trim() === '') {
      throw definitionError(`${path}.${field}`, 'is empty', 'write one, or leave it out');
    }
  }
  if (/[\r\n]/.test(message?.trim() ?? '') || /[\r\n]/.test(fieldPath ?? '')) {
    throw definitionError(path, 'a text with line breaks', 'write it in one line');
  }
  if (/[\r\n]/.test(rule.trim()) && message === undefined) {
    throw definitionError(`${path}.message`, 'a rule of several lines has a message', 'write one');
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    throw definitionError(`${path}.reason`, `there is no ${reason}`, `write ${REASONS.join(', ')}`);
  }
  if (fieldPath !== undefined && !/^[.[]/.test(fieldPath)) {
    throw definitionError(`${path}.fieldPath`, 'is no path from here', `write .${fieldPath}`);
  }
}
