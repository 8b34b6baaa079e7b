/**
 * The plan that brings the data to a new version: a Job first, then the image. What version the data
 * are of is read from the cluster alone: from the StatefulSet, which has it beside its image, and from
 * the Jobs that have ended well since. So it does not matter where the operator was killed.
 */
import type { Job } from 'chancery/kubernetes';
import { ensureJob, isComplete, isUnfinished, jobsOf, progressOf } from './jobs.ts';
import { COMPLETE, inProgress, type Phase, type Progress } from './plan.ts';
import { isRolledOut, type Scene, statefulSetOf } from './scene.ts';
import { type Release, VERSION } from './stateful-set.ts';
import { compareVersions, latestOf } from './version.ts';

const TO = 'example.dev/upgrade-to';

interface Upgrade {
  readonly from: string;
  readonly to: string;
}

const runningVersion = (scene: Scene): string | undefined =>
  statefulSetOf(scene)?.metadata.annotations?.[VERSION];

/** That of the data, which is ahead of the image between the Job and the switch. */
export function dataVersion(scene: Scene): string | undefined {
  const upgraded = jobsOf(scene, 'upgrade').filter(isComplete).map(targetOf);
  return latestOf([runningVersion(scene), ...upgraded]);
}

const targetOf = ({ metadata }: Job): string | undefined => metadata.annotations?.[TO];

/** What a Job has to be run for before the image may change. */
function dueUpgrade(scene: Scene): Upgrade | undefined {
  const { version: to, upgrade } = scene.db.spec;
  const from = dataVersion(scene);
  if (to === undefined || from === undefined || upgrade?.strategy !== 'Job') return undefined;
  return compareVersions(to, from) > 0 ? { from, to } : undefined;
}

/** What the StatefulSet is to run now. */
export function decided(scene: Scene): Release {
  const { image, version = dataVersion(scene) } = scene.db.spec;
  const set = statefulSetOf(scene);
  const current = set?.spec.template.spec?.containers[0]?.image;
  const isHeld = dueUpgrade(scene) !== undefined || jobsOf(scene, 'upgrade').some(isUnfinished);
  if (current === undefined || !isHeld) return { image, version };
  return { image: current, version: runningVersion(scene) };
}

/** Undefined when there is none, and never was. */
export function upgradePlan(scene: Scene): readonly Phase[] | undefined {
  const due = dueUpgrade(scene);
  const last = jobsOf(scene, 'upgrade').find((job) => targetOf(job) === dataVersion(scene));
  const to = due?.to ?? (last && targetOf(last));
  if (to === undefined) return undefined;
  return [
    { name: 'prepare', steps: [{ name: 'ready', run: () => isPrepared(scene, due) }] },
    { name: 'migrate', steps: [{ name: 'job', run: () => migrate(scene, due) }] },
    {
      name: 'switch',
      steps: [
        { name: 'image', run: () => isSwitched(scene, to) },
        { name: 'rollout', run: () => rollout(scene) },
      ],
    },
  ];
}

function isPrepared(scene: Scene, due: Upgrade | undefined): Progress {
  if (due === undefined) return COMPLETE;
  const { name } = upgradeTask(scene, due);
  const other = jobsOf(scene, 'upgrade').find(
    (job) => isUnfinished(job) && job.metadata.name !== name,
  );
  if (other !== undefined) return inProgress(`Job ${other.metadata.name} runs`);
  const hasBegun = jobsOf(scene, 'upgrade').some(({ metadata }) => metadata.name === name);
  if (hasBegun) return COMPLETE;
  const backup = jobsOf(scene, 'backup').find(isUnfinished);
  if (backup !== undefined) return inProgress(`Job ${backup.metadata.name} runs`);
  const set = statefulSetOf(scene);
  return set !== undefined && isRolledOut(set)
    ? COMPLETE
    : inProgress('the earlier version is not ready');
}

async function migrate(scene: Scene, due: Upgrade | undefined): Promise<Progress> {
  return due === undefined ? COMPLETE : progressOf(await ensureJob(scene, upgradeTask(scene, due)));
}

function upgradeTask({ name, db }: Scene, { from, to }: Upgrade) {
  const program = db.spec.upgrade ?? { command: [] };
  const label = (version: string): string => version.replaceAll('.', '-');
  return {
    name: `${name}-upgrade-${label(from)}-${label(to)}`,
    role: 'upgrade' as const,
    program,
    env: { FROM: from, TO: to },
    annotations: { [TO]: to },
  };
}

function isSwitched(scene: Scene, to: string): Progress {
  return runningVersion(scene) === to ? COMPLETE : inProgress('the image is about to change');
}

function rollout(scene: Scene): Progress {
  const set = statefulSetOf(scene);
  if (set !== undefined && isRolledOut(set)) return COMPLETE;
  return inProgress(`${set?.status?.updatedReplicas ?? 0} replicas run the new version`);
}
