/** Jobs with names that follow from what they are for, so that none is made twice. */
import { AlreadyOwnedError, isControlledBy, objectKey } from 'chancery';
import { type batchV1, type coreV1, type Job, jobs } from 'chancery/kubernetes';
import { COMPLETE, inProgress, type Progress } from './plan.ts';
import { labelsOf, type Scene, selectorOf, sources } from './scene.ts';

export const ROLE = 'example.dev/job';
export type Role = 'init' | 'backup' | 'upgrade' | 'member' | 'snapshot';

/** What a Job runs; its connection data come from the ConfigMap and the Secret. */
export interface Task {
  readonly name: string;
  readonly role: Role;
  readonly program: { readonly image?: string; readonly command: readonly string[] };
  readonly env?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** A claim, mounted at /backup. */
  readonly storage?: string | undefined;
}

/** The Job of `task`, made if there is none. A Job cannot be changed: one that is there stays. */
export async function ensureJob(scene: Scene, task: Task): Promise<Job> {
  const { db, context, namespace, name } = scene;
  const known = context.store(sources.jobs).get(objectKey(namespace, task.name));
  if (known !== undefined) {
    if (!isControlledBy(known, db)) throw new AlreadyOwnedError(jobs, known);
    return known;
  }
  return context.applyOwned(jobs, {
    metadata: {
      name: task.name,
      labels: { ...labelsOf(name), [ROLE]: task.role },
      annotations: task.annotations ?? {},
    },
    spec: jobSpec(scene, task),
  });
}

/** A Pod tries at most three times, and for an hour. */
export function jobSpec(scene: Scene, { role, program, env = {}, storage }: Task): batchV1.JobSpec {
  const { db, name } = scene;
  const container: coreV1.Container = {
    name: role,
    image: program.image ?? db.spec.image,
    command: program.command,
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    envFrom: connectionOf(scene),
    ...(storage !== undefined && { volumeMounts: [{ name: 'backup', mountPath: '/backup' }] }),
  };
  return {
    backoffLimit: 2,
    activeDeadlineSeconds: 3_600,
    template: {
      metadata: { labels: { ...labelsOf(name), [ROLE]: role } },
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        containers: [container],
        ...(storage !== undefined && {
          volumes: [{ name: 'backup', persistentVolumeClaim: { claimName: storage } }],
        }),
      },
    },
  };
}

/** DATABASE_HOST, DATABASE_PORT, DATABASE_NAME, DATABASE_USERNAME, DATABASE_PASSWORD. */
export function connectionOf({ db, name }: Scene): readonly coreV1.EnvFromSource[] {
  const prefix = 'DATABASE_';
  return [
    { prefix, configMapRef: { name: `${name}-config` } },
    { prefix, secretRef: { name: secretNameOf(db.spec, name) } },
  ];
}

export function secretNameOf(
  { credentials }: { readonly credentials?: { readonly secretName: string } | undefined },
  name: string,
): string {
  return credentials?.secretName ?? `${name}-credentials`;
}

export const isComplete = (job: Job): boolean => hasEnded(job, 'Complete');
export const isFailed = (job: Job): boolean => hasEnded(job, 'Failed');
export const isUnfinished = (job: Job): boolean => !isComplete(job) && !isFailed(job);

function hasEnded({ status }: Job, how: 'Complete' | 'Failed'): boolean {
  return status?.conditions?.some((one) => one.type === how && one.status === 'True') ?? false;
}

export function progressOf(job: Job): Progress {
  const { name } = job.metadata;
  if (isComplete(job)) return COMPLETE;
  if (!isFailed(job)) return inProgress(`Job ${name} runs`);
  const failed = job.status?.conditions?.find(({ type }) => type === 'Failed');
  const message = `Job ${name} has failed (${failed?.reason ?? 'Failed'}): delete it to try again`;
  return { status: 'FATAL_ERROR', reason: 'JobFailed', message };
}

/** The Jobs of this very SampleDB that have a role, by name. */
export function jobsOf({ db, context, namespace, name }: Scene, role: Role): readonly Job[] {
  return context
    .store(sources.jobs)
    .list({ namespace, selector: `${selectorOf(name)},${ROLE}=${role}` })
    .filter((job) => isControlledBy(job, db))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
