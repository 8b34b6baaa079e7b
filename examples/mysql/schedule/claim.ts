import { type KubernetesObject, keyOf, type ReconcileContext, source } from 'chancery';
import { persistentVolumeClaims } from 'chancery/kubernetes';
import { MANAGED, SCHEDULE } from '../labels.ts';
import { NotOwnedError } from '../report.ts';
import type { Schedule } from '../resources.ts';

/** All, so that it is seen when one that is in the way goes. */
export const claims = source(persistentVolumeClaims, { metadataOnly: true });

/** @throws NotOwnedError when a claim was not made for the schedule that has its name. */
export function requireScheduled({ metadata: { name, labels } }: KubernetesObject): void {
  if (labels?.[SCHEDULE] === name) return;
  throw new NotOwnedError(
    `PersistentVolumeClaim ${name} is no schedule's: label it ${SCHEDULE}=${name} to have backups there`,
  );
}

/**
 * The volume of all backups of a schedule. It has no owner: backups outlive the schedule that made them,
 * and a schedule of the same name finds them again. Made once, and never changed or deleted.
 *
 * @throws NotOwnedError as `requireScheduled`.
 */
export async function ensureClaim(
  schedule: Schedule,
  storage: Schedule['spec']['storage'],
  { client, store }: Pick<ReconcileContext, 'client' | 'store'>,
): Promise<void> {
  const { name, namespace } = schedule.metadata;
  const known = store(claims).get(keyOf(schedule));
  if (known !== undefined) return requireScheduled(known);
  await client.create(persistentVolumeClaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: { ...MANAGED, [SCHEDULE]: name },
    },
    spec: {
      accessModes: ['ReadWriteMany'],
      resources: { requests: { ...(storage !== undefined && { storage }) } },
    },
  });
}
