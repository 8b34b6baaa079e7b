import type { Desired } from 'chancery';
import type { ConfigMap } from 'chancery/kubernetes';
import { MANAGED } from '../labels.ts';
import type { Cluster } from '../resources.ts';

export const configName = ({ metadata }: Cluster): string => `${metadata.name}-mysql`;

/** Of this cluster alone, in its namespace: the original has one ConfigMap `mysql`, in one namespace. */
export function configOf(cluster: Cluster): Desired<ConfigMap> {
  return {
    metadata: { name: configName(cluster), labels: { ...MANAGED, app: cluster.metadata.name } },
    data: {
      'master.cnf': '# Of the primary.\n[mysqld]\nlog-bin\n',
      'slave.cnf': '# Of every replica.\n[mysqld]\nsuper-read-only\n',
    },
  };
}
