import { partialOf } from '../objects/canonical.ts';
import { type Json, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { TableColumn } from './column.ts';

/** How much of the object each row of a Table contains. */
export type IncludeObject = 'Metadata' | 'None' | 'Object';

/** What a Table needs to know about a resource. */
interface ShownResource {
  readonly columns: readonly TableColumn[];
  /** Converts an object to its storage format. Absent if the two differ only in the apiVersion. */
  readonly shape?: { toStored(object: StoredObject): StoredObject };
}

export interface TableOptions {
  readonly include: IncludeObject;
  /** The current time, from which ages are computed. */
  readonly nowMs: number;
}

/** Objects as a meta.k8s.io/v1 Table, the format that kubectl prints. */
export function tableOf(
  objects: readonly StoredObject[],
  { columns, shape }: ShownResource,
  metadata: Json,
  { include, nowMs }: TableOptions,
): Json {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(definition),
    rows: objects.map((object) => {
      // The columns read the storage format, whatever the version of the object.
      const stored = shape?.toStored(object) ?? object;
      const conditions = rowConditions(stored);
      return {
        cells: columns.map((column) => column.cell(stored, nowMs)),
        ...(conditions.length > 0 ? { conditions } : {}),
        object: included(object, include),
      };
    }),
  };
}

function definition({ name, type, format, description, priority }: TableColumn): Json {
  return { name, type, format, description, priority };
}

function included(object: StoredObject, include: IncludeObject): unknown {
  if (include === 'None') return null;
  if (include === 'Object') return object;
  return partialOf(object);
}

const MESSAGES: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

/** The conditions of a row. They mark completed Pods. */
function rowConditions(object: StoredObject): readonly Json[] {
  if (object.kind !== 'Pod') return [];
  const reason = String(valueAt(object, ['status', 'phase']));
  const message = MESSAGES[reason];
  if (message === undefined) return [];
  return [{ type: 'Completed', status: 'True', reason, message }];
}
