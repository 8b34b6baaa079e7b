/**
 * A replica joins the members of the database when it is ready, and leaves before its Pod goes. The
 * Jobs themselves say who is a member: `join-2` done and no `leave-2`. They go with the replica.
 */
import { type Job, jobs } from 'chancery/kubernetes';
import { ensureJob, isComplete, jobsOf, progressOf } from './jobs.ts';
import { COMPLETE, inProgress, type Progress } from './plan.ts';
import { ownedOf, type Scene, sources, statefulSetOf } from './scene.ts';

type Action = 'join' | 'leave';

const jobName = ({ name }: Scene, action: Action, ordinal: number): string =>
  `${name}-${action}-${ordinal}`;

async function ensure(scene: Scene, action: Action, ordinal: number): Promise<Progress> {
  const { members } = scene.db.spec;
  if (members === undefined) return COMPLETE;
  const env = { ACTION: action, ORDINAL: String(ordinal) };
  const name = jobName(scene, action, ordinal);
  return progressOf(await ensureJob(scene, { name, role: 'member', program: members, env }));
}

async function forget(scene: Scene, action: Action, ordinal: number): Promise<void> {
  await scene.context.deleteOwned(jobs, { name: jobName(scene, action, ordinal) });
}

/** How many replicas the StatefulSet is to have now: one that has not left yet stays. */
export function replicasFor(scene: Scene): number {
  const { replicas, members } = scene.db.spec;
  const current = statefulSetOf(scene)?.spec.replicas;
  if (members === undefined || current === undefined || replicas >= current) return replicas;
  const left = ownedOf(scene, sources.jobs, jobName(scene, 'leave', current - 1));
  return left !== undefined && isComplete(left) ? current - 1 : current;
}

/** Takes the last replica out, if there is one too many, and its Pod is the last. */
export async function leaveMember(scene: Scene): Promise<Progress> {
  const set = statefulSetOf(scene);
  const current = set?.spec.replicas;
  if (set === undefined || current === undefined) return COMPLETE;
  const { replicas } = scene.db.spec;
  if (current <= replicas) return COMPLETE;
  const pods = set.status?.replicas ?? 0;
  if (pods > current) return inProgress(`${pods - current} Pod of a former member is still there`);
  await forget(scene, 'join', current - 1);
  return ensure(scene, 'leave', current - 1);
}

/** Every replica is a member; what is left of former ones goes, so that they may come back. */
export async function joinMembers(scene: Scene): Promise<Progress> {
  const { replicas } = scene.db.spec;
  for (const { metadata } of formerJobs(scene)) await scene.context.deleteOwned(jobs, metadata);
  for (let ordinal = 0; ordinal < replicas; ordinal++) {
    await forget(scene, 'leave', ordinal);
    const joined = await ensure(scene, 'join', ordinal);
    if (joined.status !== 'COMPLETE') return joined;
  }
  return COMPLETE;
}

function formerJobs(scene: Scene): readonly Job[] {
  return jobsOf(scene, 'member').filter(
    ({ metadata }) => Number(/[0-9]+$/.exec(metadata.name)?.[0]) >= scene.db.spec.replicas,
  );
}
