import { ageOf } from '../tables/age.ts';
import { NAME } from '../tables/cell.ts';
import type { TableColumn } from '../tables/column.ts';
import type { PrinterColumn } from './definition.ts';
import { readJsonPath } from './json-path.ts';

/** The columns of a custom resource: its name, and those of the definition or its age. */
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

function cellOf(values: readonly unknown[], type: string, nowMs: number): unknown {
  const [value] = values;
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'date':
      return ageOf(value, nowMs);
    case 'integer':
    case 'number':
      return typeof value === 'number' ? value : Number(value);
    case 'boolean':
      return value === true;
    default:
      return values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(',');
  }
}
