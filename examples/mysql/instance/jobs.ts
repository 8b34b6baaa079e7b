import type { Desired } from 'chancery';
import type { coreV1, Job } from 'chancery/kubernetes';
import { MANAGED, REMOVES } from '../labels.ts';
import type { Cluster, Instance } from '../resources.ts';
import { script } from '../scripts.ts';

const SCRIPTS = { backup: script('backup'), delete: script('delete') };

const MOUNT = { name: 'backup', mountPath: '/mysql/backup' };

/** A copy of a database that takes longer than a day is none any more. */
const BACKUP_SECONDS = 86_400;

/** Takes the backup. It tells nobody: what becomes of it is read from the Job. */
export function createJobOf(
  { metadata: { name }, spec }: Instance,
  cluster: Cluster,
): Desired<Job> {
  return {
    metadata: { name: `${name}-create`, labels: MANAGED },
    spec: {
      backoffLimit: 3,
      activeDeadlineSeconds: BACKUP_SECONDS,
      template: templateOf(spec.schedule, {
        name: 'backup',
        image: cluster.spec.xtrabackupImage,
        command: ['bash', '-c', SCRIPTS.backup],
        env: [
          { name: 'BACKUP', value: name },
          { name: 'CLUSTER', value: spec.cluster },
        ],
        resources: { requests: { cpu: '100m', memory: '100Mi' } },
      }),
    },
  };
}

/**
 * Removes the data. It has no owner: one that is being deleted in the foreground would take the Job with
 * it before it has run. Whose it is its name and its label say.
 */
export function deleteJobOf({ metadata: { name, namespace, uid }, spec }: Instance): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name}-delete`,
      ...(namespace !== undefined && { namespace }),
      labels: { ...MANAGED, [REMOVES]: uid ?? '' },
    },
    spec: {
      backoffLimit: 6,
      template: templateOf(spec.schedule, {
        name: 'delete',
        image: 'busybox:1.37',
        command: ['sh', '-c', SCRIPTS.delete],
        env: [{ name: 'BACKUP', value: name }],
      }),
    },
  };
}

/** The backup whose data a Job of this name removes, if any. */
export function removedBy(job: string): string | undefined {
  return /^(.+)-delete$/.exec(job)?.[1];
}

/** A Pod with the volume of a schedule, and without credentials. */
function templateOf(schedule: string, container: coreV1.Container): coreV1.PodTemplateSpec {
  return {
    metadata: { labels: MANAGED },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      containers: [{ ...container, volumeMounts: [MOUNT] }],
      volumes: [{ name: MOUNT.name, persistentVolumeClaim: { claimName: schedule } }],
    },
  };
}

/** How a Job has ended; undefined while it goes on. */
export function endOf({ status }: Job): 'Complete' | 'Failed' | undefined {
  const ended = status?.conditions?.find(
    ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  return ended?.type as 'Complete' | 'Failed' | undefined;
}
