import type { PrinterColumn, ScalePaths } from '../model/custom-resource-definition.ts';
import type { StructuralSchema } from '../model/structural-schema.ts';
import { definitionError, mayBeUnknown, schemaAt, simplePath } from './field-path.ts';

/** A column of `kubectl get`. `kubectl get` always shows the column with the name. */
export type PrinterColumnOptions = Omit<PrinterColumn, 'type'> & {
  /** Default: the type of the field in the schema, or `string` if the path is not simple. */
  readonly type?: PrinterColumn['type'];
};

/** The age of an object. `kubectl get` shows this column for resources that declare no columns. */
export const AGE_COLUMN: PrinterColumn = Object.freeze({
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
});

const TYPES: readonly PrinterColumn['type'][] = ['boolean', 'date', 'integer', 'number', 'string'];
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/**
 * The given columns, each with its type.
 *
 * @throws ConfigurationError `CONFIG` for a column that would always be empty, and for a duplicate name.
 */
export function printerColumnsOf(
  columns: readonly PrinterColumnOptions[],
  root: StructuralSchema,
  path: string,
): readonly PrinterColumn[] {
  const names = columns.map(({ name }) => name.toLowerCase());
  return columns.map((column, at) => {
    const own = `${path}[${at}]`;
    if (column.name === '') throw definitionError(`${own}.name`, 'is empty', 'name the column');
    if (column.name.toLowerCase() === 'name' || names.indexOf(names[at] ?? '') < at) {
      const problem = `there is another column ${JSON.stringify(column.name)}`;
      throw definitionError(`${own}.name`, problem, 'give it another name');
    }
    return columnOf(column, root, own);
  });
}

function columnOf(
  { name, jsonPath, type, format, description, priority }: PrinterColumnOptions,
  root: StructuralSchema,
  path: string,
): PrinterColumn {
  if (!jsonPath.startsWith('.')) {
    throw definitionError(`${path}.jsonPath`, 'is no JSONPath', `write .${jsonPath}`);
  }
  const shown = type ?? typeAt(jsonPath, root, path);
  if (!TYPES.includes(shown)) {
    throw definitionError(`${path}.type`, `there is no ${shown}`, `write ${TYPES.join(', ')}`);
  }
  if (format !== undefined && !FORMATS.includes(format)) {
    throw definitionError(`${path}.format`, `there is no ${format}`, `write ${FORMATS.join(', ')}`);
  }
  return {
    name,
    type: shown,
    jsonPath,
    ...(format === undefined ? {} : { format }),
    ...(description === undefined ? {} : { description }),
    ...(priority === undefined || priority === 0 ? {} : { priority }),
  };
}

function typeAt(jsonPath: string, root: StructuralSchema, path: string): PrinterColumn['type'] {
  if (/^\.metadata\.\w+Timestamp$/.test(jsonPath)) return 'date';
  const fields = simplePath(jsonPath);
  if (fields === undefined || fields[0] === 'metadata') return 'string';
  const schema = schemaAt(root, fields);
  if (schema === undefined && !mayBeUnknown(root, fields)) {
    const remedy = 'write the path of a field of spec or status';
    throw definitionError(`${path}.jsonPath`, `no schema has a field ${jsonPath}`, remedy);
  }
  if (schema?.type === 'string' && schema.format === 'date-time') return 'date';
  return TYPES.find((type) => type === schema?.type) ?? 'string';
}

/**
 * The paths of the scale subresource, after a check.
 *
 * @throws ConfigurationError `CONFIG` for a path without a field, or with a field of the wrong type.
 */
export function scaleOf(scale: ScalePaths, root: StructuralSchema, path: string): ScalePaths {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  refusePath(specReplicasPath, ['spec'], 'integer', root, `${path}.specReplicasPath`);
  refusePath(statusReplicasPath, ['status'], 'integer', root, `${path}.statusReplicasPath`);
  if (labelSelectorPath === undefined) return { specReplicasPath, statusReplicasPath };
  const own = `${path}.labelSelectorPath`;
  refusePath(labelSelectorPath, ['spec', 'status'], 'string', root, own);
  return { specReplicasPath, statusReplicasPath, labelSelectorPath };
}

function refusePath(
  jsonPath: string,
  under: readonly string[],
  type: 'integer' | 'string',
  root: StructuralSchema,
  path: string,
): void {
  const fields = simplePath(jsonPath) ?? [];
  if (fields.length < 2 || !under.includes(fields[0] ?? '')) {
    const remedy = `write the path of a field, such as .${under[0]}.replicas`;
    throw definitionError(path, `${jsonPath} is not under .${under.join(' or .')}`, remedy);
  }
  const schema = schemaAt(root, fields);
  if (schema?.type === type) return;
  const found = schema === undefined ? 'no schema has it' : `it is ${schema.type ?? 'of no type'}`;
  const text = type === 'string' ? 'Type.String()' : 'Type.Integer()';
  throw definitionError(path, `${jsonPath}: ${found}`, `add the field as ${text}`);
}
