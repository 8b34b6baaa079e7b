/**
 * What is taken of the data before they go: by a Job, or by the storage. It outlives the SampleDB, so it
 * has no owner; its name has the uid, so that a second delete, or a second SampleDB, makes no other one.
 */
import { AlreadyOwnedError, objectKey } from 'chancery';
import { type Job, jobs, type PersistentVolumeClaim } from 'chancery/kubernetes';
import { jobSpec, progressOf, ROLE } from './jobs.ts';
import { COMPLETE, inProgress, type Progress } from './plan.ts';
import { volumeSnapshots } from './resources/volume-snapshot.ts';
import { labelsOf, type Scene, selectorOf, sources } from './scene.ts';

/** On what is left behind: the SampleDB that it was taken of. */
const TAKEN_OF = 'example.dev/sampledb-uid';
const LOOK_AGAIN_MS = 5_000;
const KEPT_SECONDS = 86_400;

export function takeSnapshot(scene: Scene): Promise<Progress> | Progress {
  const { snapshotOnDelete } = scene.db.spec;
  if (snapshotOnDelete === 'None') return COMPLETE;
  return snapshotOnDelete === 'Job' ? takeByJob(scene) : takeOfVolumes(scene);
}

/** The claims of the replicas: by label, and by the name that the StatefulSet gives them. */
export function claimsOf({ context, namespace, name }: Scene): readonly PersistentVolumeClaim[] {
  const own = new RegExp(`^data-${name}-[0-9]+$`);
  return context
    .store(sources.claims)
    .list({ namespace, selector: selectorOf(name) })
    .filter(({ metadata }) => own.test(metadata.name));
}

const shortUid = ({ uid }: Scene): string => uid.slice(0, 8);

async function takeByJob(scene: Scene): Promise<Progress> {
  const { db, context, namespace, name, uid } = scene;
  if (db.spec.backup === undefined) return COMPLETE; // refused by a rule of the definition
  const jobName = `${name}-snapshot-${shortUid(scene)}`;
  const known = context.store(sources.jobs).get(objectKey(namespace, jobName));
  if (known !== undefined) {
    if (known.metadata.annotations?.[TAKEN_OF] !== uid) throw new AlreadyOwnedError(jobs, known);
    return { ...progressOf(known), ...(progressOf(known).status === 'FATAL_ERROR' && FAILED) };
  }
  const { image, command, storage } = db.spec.backup;
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName,
      namespace,
      labels: { ...labelsOf(name), [ROLE]: 'snapshot' },
      annotations: { [TAKEN_OF]: uid },
    },
    spec: {
      ...jobSpec(scene, {
        name: jobName,
        role: 'snapshot',
        program: { command, ...(image !== undefined && { image }) },
        env: { BACKUP_NAME: jobName },
        storage,
      }),
      ttlSecondsAfterFinished: KEPT_SECONDS,
    },
  };
  await context.client.create(jobs, job);
  return inProgress(`Job ${jobName} runs`);
}

const FAILED = { reason: 'SnapshotFailed' };

async function takeOfVolumes(scene: Scene): Promise<Progress> {
  const taken: Progress[] = [];
  for (const { metadata } of claimsOf(scene)) taken.push(await snapshotOf(scene, metadata.name));
  const open = taken.filter(({ status }) => status !== 'COMPLETE');
  return open.find(({ status }) => status === 'FATAL_ERROR') ?? open[0] ?? COMPLETE;
}

/** Its kind may not be served at all, so it is not watched. */
async function snapshotOf(scene: Scene, claim: string): Promise<Progress> {
  const { context, namespace, name, uid } = scene;
  const snapshot = `${claim}-${shortUid(scene)}`;
  const known = await context.client.find(volumeSnapshots, { namespace, name: snapshot });
  if (known === undefined) {
    await context.client.create(volumeSnapshots, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: {
        name: snapshot,
        namespace,
        labels: labelsOf(name),
        annotations: { [TAKEN_OF]: uid },
      },
      spec: { source: { persistentVolumeClaimName: claim } },
    });
    return inProgress(`VolumeSnapshot ${snapshot} is taken`, LOOK_AGAIN_MS);
  }
  if (known.metadata.annotations?.[TAKEN_OF] !== uid) {
    throw new AlreadyOwnedError(volumeSnapshots, known);
  }
  if (known.status?.readyToUse === true) return COMPLETE;
  const problem = known.status?.error?.message;
  if (problem === undefined) {
    return inProgress(`VolumeSnapshot ${snapshot} is taken`, LOOK_AGAIN_MS);
  }
  const message = `VolumeSnapshot ${snapshot} has failed: ${problem}`;
  return { status: 'FATAL_ERROR', message, requeueAfterMs: LOOK_AGAIN_MS, ...FAILED };
}
