import {
  controllerOf,
  type ObjectKey,
  objectKey,
  type ReconcileContext,
  statefulSets,
} from 'chancery';
import { RESTORED_FROM } from '../labels.ts';
import { References } from '../references.ts';
import type { Verdict } from '../report.ts';
import { type Cluster, instances } from '../resources.ts';

/** Where the data of a new cluster come from. */
export interface Restore {
  /** The PersistentVolumeClaim that has it. */
  readonly claim: string;
  /** The MySQLBackupInstance, and its folder there. */
  readonly backup: string;
}

/** Clusters, by the backup that they begin with. */
export const restores = new References();

/**
 * The backup that a cluster is restored from: undefined when none is asked for, and what is missing when
 * it cannot be had yet. A cluster that was made from one remembers it: the backup may be gone since.
 */
export function restoreOf(
  key: ObjectKey,
  { metadata, spec }: Cluster,
  { store }: Pick<ReconcileContext, 'store'>,
): Restore | Verdict | undefined {
  const backup = spec.fromBackup ?? '';
  const wanted = objectKey(metadata.namespace, backup);
  restores.note(key, backup === '' ? undefined : wanted);
  if (backup === '') return undefined;
  const made = store(statefulSets).get(key);
  if (made !== undefined && controllerOf(made)?.uid === metadata.uid) {
    const [claim, from] = (made.metadata.annotations?.[RESTORED_FROM] ?? '').split('/');
    if (claim !== undefined && from === backup) return { claim, backup };
  }
  const instance = store(instances).get(wanted);
  if (instance === undefined) {
    return missing('BackupNotFound', `there is no MySQLBackupInstance ${backup}`);
  }
  const { phase = 'not begun' } = instance.status ?? {};
  if (phase === 'Completed') return { claim: instance.spec.schedule, backup };
  return missing('BackupNotCompleted', `MySQLBackupInstance ${backup} is ${phase}`);
}

function missing(reason: string, message: string): Verdict {
  return { status: 'False', reason, message, event: 'Warning' };
}
