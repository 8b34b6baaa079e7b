import type { StoredObject } from '../objects/stored-object.ts';

/** One column of a Table: its definition, and the function that makes its cell for an object. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** 0 for a column that is always printed, 1 for a column that only `kubectl get -o wide` prints. */
  readonly priority: number;
  /** @param nowMs - the current time, from which ages are computed. */
  cell(object: StoredObject, nowMs: number): unknown;
}

export type Cell = TableColumn['cell'];

export function column(
  name: string,
  cell: Cell,
  { type = 'string', priority = 0, description = '', format = '' }: Partial<TableColumn> = {},
): TableColumn {
  return { name, type, format, description, priority, cell };
}

export const INTEGER: Partial<TableColumn> = { type: 'integer' };
export const BOOLEAN: Partial<TableColumn> = { type: 'boolean' };
/** The property of columns that only `kubectl get -o wide` prints. */
export const WIDE: Partial<TableColumn> = { priority: 1 };
