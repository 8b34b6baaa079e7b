import type { StoredObject } from '../objects/stored-object.ts';

/** One column of the Table form: its definition, and its cell for an object. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** 0 for columns that are always shown, 1 for columns of `kubectl get -o wide`. */
  readonly priority: number;
  /** @param nowMs - the wall clock time, for ages. */
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
/** For columns that only `kubectl get -o wide` shows. */
export const WIDE: Partial<TableColumn> = { priority: 1 };
