import type { StoredObject } from '../objects/stored-object.ts';

/** One column of the Table form: its definition, and its cell for an object. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, 1 with `kubectl get -o wide`. */
  readonly priority: number;
  /** @param nowMs - wall time, for ages. */
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
/** Shown with `kubectl get -o wide`. */
export const WIDE: Partial<TableColumn> = { priority: 1 };
