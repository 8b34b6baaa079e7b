import { AGE, NAME } from './cell.ts';
import { CLUSTER_COLUMNS } from './cluster-columns.ts';
import { column, type TableColumn } from './column.ts';
import { NETWORK_COLUMNS } from './network-columns.ts';
import { STORAGE_COLUMNS } from './storage-columns.ts';
import { WORKLOAD_COLUMNS } from './workload-columns.ts';

const COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  ...CLUSTER_COLUMNS,
  ...NETWORK_COLUMNS,
  ...STORAGE_COLUMNS,
  ...WORKLOAD_COLUMNS,
};

/**
 * The columns of kinds for which Kubernetes declares no columns, such as Role. They contain the creation time
 * instead of the age.
 */
const DEFAULT_COLUMNS: readonly TableColumn[] = [
  NAME,
  column('Created At', ({ metadata }) => metadata.creationTimestamp, {
    type: 'date',
    description: AGE.description,
  }),
];

/** The columns of a built-in kind, as in kube-apiserver v1.36. */
export function builtInColumns(kind: string): readonly TableColumn[] {
  return COLUMNS[kind] ?? DEFAULT_COLUMNS;
}
