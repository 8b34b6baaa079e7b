/** The plan that makes a database run: connection data, StatefulSet, members, initial configuration. */
import { createHash } from 'node:crypto';
import { configMaps, services, statefulSets } from 'chancery/kubernetes';
import { ensureCredentials } from './credentials.ts';
import { ensureJob, progressOf } from './jobs.ts';
import { joinMembers, leaveMember, replicasFor } from './members.ts';
import { COMPLETE, inProgress, type Phase, type Progress } from './plan.ts';
import { isRolledOut, labelsOf, replicaLabels, type Scene, statefulSetOf } from './scene.ts';
import { desiredStatefulSet, PORT } from './stateful-set.ts';
import { decided } from './upgrade.ts';

export function deployPlan(scene: Scene): readonly Phase[] {
  const { init, members } = scene.db.spec;
  const leave = { name: 'members-leave', run: () => leaveMember(scene) };
  const join = { name: 'members-join', run: () => joinMembers(scene) };
  const start = [
    ...(members === undefined ? [] : [leave]),
    { name: 'stateful-set', run: () => applyStatefulSet(scene) },
    { name: 'ready', run: () => readiness(scene) },
    ...(members === undefined ? [] : [join]),
  ];
  return [
    {
      name: 'configure',
      steps: [
        { name: 'credentials', run: () => ensureCredentials(scene) },
        { name: 'config', run: () => applyConfig(scene) },
        { name: 'service', run: () => applyService(scene) },
      ],
    },
    { name: 'start', steps: start },
    ...(init === undefined
      ? []
      : [{ name: 'initialize', steps: [{ name: 'init', run: () => initialize(scene) }] }]),
  ];
}

async function applyConfig({ db, context, name, namespace }: Scene): Promise<Progress> {
  const { port, database = name } = db.spec;
  await context.applyOwned(configMaps, {
    metadata: { name: `${name}-config`, labels: labelsOf(name) },
    data: { HOST: `${name}.${namespace}.svc`, PORT: String(port), NAME: database },
  });
  return COMPLETE;
}

async function applyService({ db, context, name }: Scene): Promise<Progress> {
  await context.applyOwned(services, {
    metadata: { name, labels: labelsOf(name) },
    spec: {
      clusterIP: 'None',
      selector: replicaLabels(name),
      ports: [{ name: PORT, port: db.spec.port, targetPort: PORT }],
    },
  });
  return COMPLETE;
}

async function applyStatefulSet(scene: Scene): Promise<Progress> {
  const desired = desiredStatefulSet(scene, decided(scene), replicasFor(scene));
  await scene.context.applyOwned(statefulSets, desired);
  return COMPLETE;
}

/** Its changes wake the controller. */
function readiness(scene: Scene): Progress {
  const set = statefulSetOf(scene);
  if (set === undefined) return inProgress('the StatefulSet is about to be seen');
  const { replicas } = scene.db.spec;
  if (isRolledOut(set) && set.spec.replicas === replicas) return COMPLETE;
  return inProgress(`${set.status?.readyReplicas ?? 0} of ${replicas} replicas are ready`);
}

export const INITIALIZED = 'Initialized';

/**
 * Once in a life: what has been configured is not configured again, whatever becomes of `init` and of
 * the Job. A Job that has failed is followed by another one when `init` is corrected.
 */
async function initialize(scene: Scene): Promise<Progress> {
  const { db, name, uid } = scene;
  if (isInitialized(scene) || db.spec.init === undefined) return COMPLETE;
  if ((statefulSetOf(scene)?.status?.readyReplicas ?? 0) === 0) {
    return inProgress('no replica is there to be configured');
  }
  const hash = createHash('sha256')
    .update(JSON.stringify([uid, db.spec.init]))
    .digest('hex');
  const job = `${name}-init-${hash.slice(0, 8)}`;
  return progressOf(await ensureJob(scene, { name: job, role: 'init', program: db.spec.init }));
}

export function isInitialized({ db }: Scene): boolean {
  const conditions = db.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === INITIALIZED && status === 'True');
}
