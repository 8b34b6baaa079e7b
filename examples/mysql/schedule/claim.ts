import {
  isAlreadyExists,
  keyOf,
  persistentVolumeClaims,
  type ReconcileContext,
  source,
} from 'chancery';
import { MANAGED, MANAGED_SELECTOR, SCHEDULE } from '../labels.ts';
import { NotOwnedError } from '../report.ts';
import type { Schedule } from '../resources.ts';

export const claims = source(persistentVolumeClaims, { labelSelector: MANAGED_SELECTOR });

/**
 * The volume of all backups of a schedule. It has no owner: backups outlive the schedule that made them,
 * and a schedule of the same name finds them again. Made once, and never changed or deleted.
 *
 * @throws NotOwnedError when a claim of that name is not a schedule's.
 */
export async function ensureClaim(
  schedule: Schedule,
  storage: string,
  { client, store }: Pick<ReconcileContext, 'client' | 'store'>,
): Promise<void> {
  const { name, namespace } = schedule.metadata;
  const known = store(claims).get(keyOf(schedule));
  if (known?.metadata.labels?.[SCHEDULE] === name) return;
  try {
    await client.create(persistentVolumeClaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name,
        ...(namespace !== undefined && { namespace }),
        labels: { ...MANAGED, [SCHEDULE]: name },
      },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage } } },
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const live = await client.get(persistentVolumeClaims, schedule.metadata);
    if (live.metadata.labels?.[SCHEDULE] === name) return;
    throw new NotOwnedError(`there is a PersistentVolumeClaim ${name}, which is no schedule's`);
  }
}
