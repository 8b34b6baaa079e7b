import type { StructuralSchema } from 'chancery/internal';
import {
  duplicate,
  fieldSchema,
  forbidden,
  invalid,
  invalidUnshown,
  required,
  schemaProblems,
  tooMany,
} from 'chancery/internal-objects';
import type { FieldError } from '../../failures/invalid.ts';
import { isObject } from '../../objects/metadata.ts';
import type { DefinitionVersion, PrinterColumn } from '../definition.ts';
import { rulesProblems } from './rule-rules.ts';

const COLUMN_TYPES = 'boolean,date,integer,number,string';
const COLUMN_FORMATS = 'byte,date,date-time,double,float,int32,int64,password';
const MAX_SELECTABLE_FIELDS = 8;

/**
 * The problems of a version's schema.
 *
 * @param path - the path of the field that contains the version.
 * @param isKnown - true for a schema that was accepted before.
 */
export function versionSchemaProblems(
  { schema, subresources }: DefinitionVersion,
  path: string,
  isKnown: boolean,
): readonly FieldError[] {
  const root = schema?.openAPIV3Schema;
  if (!isObject(root)) return [];
  const at = `${path}.openAPIV3Schema`;
  const problems: FieldError[] = [];
  if (subresources?.status !== undefined) problems.push(...statusRootProblems(root, at));
  if (root.nullable === true) {
    problems.push(forbidden(`${at}.nullable`, 'nullable cannot be true at the root'));
  }
  problems.push(...schemaProblems(root, at));
  // The rules of an invalid schema are not checked, because their errors would be misleading.
  return problems.length > 0 ? problems : rulesProblems(root, at, isKnown);
}

/**
 * The fields that a schema may have at its root if status is a subresource. The order, and the values (the
 * names of the fields in Go), are those of the server's message.
 */
const AT_ROOT: Readonly<Record<string, string>> = {
  description: 'Description',
  type: 'Type',
  format: 'Format',
  title: 'Title',
  maximum: 'Maximum',
  exclusiveMaximum: 'ExclusiveMaximum',
  minimum: 'Minimum',
  exclusiveMinimum: 'ExclusiveMinimum',
  maxLength: 'MaxLength',
  minLength: 'MinLength',
  pattern: 'Pattern',
  maxItems: 'MaxItems',
  minItems: 'MinItems',
  uniqueItems: 'UniqueItems',
  multipleOf: 'MultipleOf',
  required: 'Required',
  items: 'Items',
  properties: 'Properties',
  externalDocs: 'ExternalDocs',
  example: 'Example',
  'x-kubernetes-preserve-unknown-fields': 'XPreserveUnknownFields',
  'x-kubernetes-validations': 'XValidations',
};

/**
 * Refuses fields at the root that would also apply to the status, because a write of the status is validated
 * only with `properties.status`. A missing type is allowed here: the check of the schema's structure decides
 * whether a type is needed.
 */
function statusRootProblems(root: StructuralSchema, path: string): readonly FieldError[] {
  if (root.type && root.type !== 'object') {
    const why =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, root.type, why)];
  }
  const others = Object.entries(root).filter(([name]) => !Object.hasOwn(AT_ROOT, name));
  if (!others.some(([, value]) => value !== undefined && value !== false && value !== ''))
    return [];
  const allowed = Object.values(AT_ROOT).join(' ');
  const why = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalidUnshown(path, why)];
}

export function subresourceProblems(
  { subresources }: DefinitionVersion,
  path: string,
): readonly FieldError[] {
  const scale = subresources?.scale;
  if (!isObject(scale)) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...pathProblems(specReplicasPath, `${path}.scale.specReplicasPath`, ['.spec']),
    ...pathProblems(statusReplicasPath, `${path}.scale.statusReplicasPath`, ['.status']),
    ...(labelSelectorPath === undefined || labelSelectorPath === ''
      ? []
      : pathProblems(labelSelectorPath, `${path}.scale.labelSelectorPath`, ['.spec', '.status'])),
  ];
}

function pathProblems(
  value: string | undefined,
  path: string,
  roots: readonly string[],
): readonly FieldError[] {
  if (!value) return [required(path)];
  if (!value.startsWith('.')) {
    return [invalid(path, value, 'must be a simple json path starting with .')];
  }
  if (roots.some((root) => value.startsWith(`${root}.`))) return [];
  const where = roots.length > 1 ? `either ${roots.join(' or ')}` : roots.join('');
  return [invalid(path, value, `should be a json path under ${where}`)];
}

/**
 * The problems of printer columns.
 * @param path - the path of the list of columns.
 */
export function columnProblems(
  columns: readonly PrinterColumn[] = [],
  path: string,
): readonly FieldError[] {
  return columns.flatMap((column, at) => {
    const own = `${path}[${at}]`;
    const types = `must be one of ${COLUMN_TYPES}`;
    return [
      ...(column.name ? [] : [required(`${own}.name`)]),
      ...(column.type ? [] : [required(`${own}.type`, types)]),
      ...(column.type && !COLUMN_TYPES.split(',').includes(column.type)
        ? [invalid(`${own}.type`, column.type, types)]
        : []),
      ...(column.format && !COLUMN_FORMATS.split(',').includes(column.format)
        ? [invalid(`${own}.format`, column.format, `must be one of ${COLUMN_FORMATS}`)]
        : []),
      ...columnPathProblems(column.jsonPath, `${own}.JSONPath`),
    ];
  });
}

function columnPathProblems(path: string, field: string): readonly FieldError[] {
  if (!path) return [required(field)];
  if (path.startsWith('.')) return [];
  return [invalid(field, path, 'must be a simple json path starting with .')];
}

/**
 * The problems of selectable fields.
 * @param path - the path of the list of fields.
 */
export function selectableFieldProblems(
  { selectableFields = [], schema }: DefinitionVersion,
  path: string,
): readonly FieldError[] {
  const seen = new Set<string>();
  const problems = selectableFields.flatMap(({ jsonPath }, at): readonly FieldError[] => {
    const field = `${path}[${at}].jsonPath`;
    if (!jsonPath) return [required(field)];
    const found = schemaAt(schema?.openAPIV3Schema, jsonPath);
    if (typeof found === 'string') {
      return [invalid(field, jsonPath, `is an invalid path: ${found}`)];
    }
    const own = [...selectableProblems(jsonPath, found, field)];
    if (seen.has(jsonPath)) own.push(duplicate(field, jsonPath));
    seen.add(jsonPath);
    return own;
  });
  if (seen.size <= MAX_SELECTABLE_FIELDS) return problems;
  return [...problems, tooMany(path, seen.size, MAX_SELECTABLE_FIELDS)];
}

function selectableProblems(
  jsonPath: string,
  { type = '' }: StructuralSchema,
  field: string,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  if (/^\.metadata(\.|$)/.test(jsonPath)) {
    problems.push(invalid(field, jsonPath, 'must not point to fields in metadata'));
  }
  if (!['string', 'boolean', 'integer'].includes(type)) {
    const why =
      'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
    problems.push(invalid(field, jsonPath, why));
  }
  return problems;
}

/** The schema at a path. If there is none, returns a string with the reason. */
function schemaAt(root: StructuralSchema | undefined, path: string): StructuralSchema | string {
  if (!path.startsWith('.')) return `expected [ or . but got: ${path.split('.')[0]}`;
  if (path.includes('[')) return 'array notation is not allowed';
  let at = root;
  for (const field of path.slice(1).split('.')) {
    at = at === undefined ? undefined : fieldSchema(at, field);
  }
  return at ?? 'does not refer to a valid field';
}
