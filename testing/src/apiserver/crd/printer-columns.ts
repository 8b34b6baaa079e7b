import { goJson } from '../objects/canonical.ts';
import { ageOf } from '../tables/age.ts';
import { NAME } from '../tables/cell.ts';
import type { TableColumn } from '../tables/column.ts';
import type { PrinterColumn } from './definition.ts';
import { readJsonPath } from './json-path.ts';

/**
 * The columns of a custom resource: its name, then the columns of the definition. If the definition
 * has none, its age.
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

/** The cell for a path: the first value found, if it has the column's type. */
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
