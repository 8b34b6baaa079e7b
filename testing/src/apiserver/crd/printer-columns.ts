import { goJson } from '../objects/canonical.ts';
import { ageOf } from '../tables/age.ts';
import { NAME } from '../tables/cell.ts';
import type { TableColumn } from '../tables/column.ts';
import type { PrinterColumn } from './definition.ts';
import { readJsonPath } from './json-path.ts';

/**
 * The columns of a custom resource: the name of the object, then the columns that the definition declares. If
 * it declares none, the second column is the age.
 */
export function printerColumns(declared: readonly PrinterColumn[] = [AGE]): readonly TableColumn[] {
  return [NAME, ...declared.map(toColumn)];
}

const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
};

function toColumn({
  name,
  type,
  format,
  description,
  priority,
  jsonPath,
}: PrinterColumn): TableColumn {
  const text = description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return {
    name,
    type: type as TableColumn['type'],
    format: format ?? '',
    description: text,
    priority: priority ?? 0,
    cell: (object, nowMs) => cellOf(readJsonPath(object, jsonPath), type, nowMs),
  };
}

/** The value of a cell: the first of the values found, if it has the type of the column. */
function cellOf([value]: readonly unknown[], type: string, nowMs: number): unknown {
  if (value === undefined) return null;
  if (type === 'string') return textOf(value);
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  if (type === 'date') return typeof value === 'string' ? dateOf(value, nowMs) : null;
  if (typeof value === 'bigint') return type === 'integer' ? value : Number(value);
  if (typeof value !== 'number') return null;
  return type === 'integer' ? Math.trunc(value) : value;
}

function textOf(value: unknown): string {
  if (value === null) return '<no value>';
  return typeof value === 'object' ? goJson(value) : String(value);
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function dateOf(time: string, nowMs: number): string {
  return time === '' || RFC_3339.test(time) ? ageOf(time, nowMs) : '<invalid>';
}
