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

/** Of kinds for which Kubernetes has no columns, such as Role: the time itself, not the age. */
const DEFAULT_COLUMNS: readonly TableColumn[] = [
  NAME,
  column('Created At', ({ metadata }) => metadata.creationTimestamp, {
    type: 'date',
    description: AGE.description,
  }),
];

/** The columns of a built-in kind, those that kube-apiserver v1.36 has. */
export function builtInColumns(kind: string): readonly TableColumn[] {
  return COLUMNS[kind] ?? DEFAULT_COLUMNS;
}
