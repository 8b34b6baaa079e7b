import type { StoredObject } from '../cluster-access.ts';

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
