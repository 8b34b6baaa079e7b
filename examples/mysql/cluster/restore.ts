import { objectKey, type ReconcileContext } from 'chancery';
import { RESTORED_FROM } from '../labels.ts';
import { refused, type Verdict } from '../report.ts';
import { type Cluster, instances } from '../resources.ts';
import type { Restore } from './pod-template.ts';
import { madeFor } from './stateful-set.ts';

/**
 * The backup that a cluster is restored from: undefined when none is asked for, and what is missing when
 * it cannot be had yet. A cluster that was made from one remembers it: the backup may be gone since.
 */
export function restoreOf(
  cluster: Cluster,
  { store }: Pick<ReconcileContext, 'store'>,
): Restore | Verdict | undefined {
  const { fromBackup: backup = '' } = cluster.spec;
  if (backup === '') return undefined;
  const made = madeFor(cluster, { store });
  const [claim, from] = (made?.metadata.annotations?.[RESTORED_FROM] ?? '').split('/');
  if (claim !== undefined && from === backup) return { claim, backup };
  const instance = store(instances).get(objectKey(cluster.metadata.namespace, backup));
  if (instance === undefined) {
    return refused('BackupNotFound', `there is no MySQLBackupInstance ${backup}`);
  }
  const { phase = 'not begun' } = instance.status ?? {};
  if (phase === 'Completed') return { claim: instance.spec.schedule, backup };
  return refused('BackupNotCompleted', `MySQLBackupInstance ${backup} is ${phase}`);
}
