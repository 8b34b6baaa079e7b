import { readFileSync } from 'node:fs';
import { eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { CronJob, Job, Service, StatefulSet } from 'chancery/kubernetes';
import { type Place, type Setup, startExample } from '../../testing/place.ts';
import operator from '../operator.ts';
import { type Cluster, GROUP, type Instance, type Schedule } from '../resources.ts';

export const VERSION = `${GROUP}/v1`;

export const SECRET = new URL('../sample/secret.yaml', import.meta.url);
export const CLUSTER = new URL('../sample/cluster-config.yaml', import.meta.url);
/** The sample, which rings every five minutes; here never, so that no test meets a real ring. */
export const SCHEDULE: string = readFileSync(
  new URL('../sample/backup-config.yaml', import.meta.url),
  'utf8',
).replace('*/5 * * * *', '0 0 29 2 *');

/** The operator, and what it is about. */
export interface Scene extends Place {
  cluster(name?: string): Promise<Cluster | undefined>;
  schedule(name?: string): Promise<Schedule | undefined>;
  instance(name: string): Promise<Instance | undefined>;
  service(name: string): Promise<Service | undefined>;
  statefulSet(name?: string): Promise<StatefulSet | undefined>;
  cronJob(name?: string): Promise<CronJob | undefined>;
  job(name: string): Promise<Job | undefined>;
  /** A backup of `my-backup` by hand. */
  backUp(name: string): Promise<Instance>;
}

export const DEFINITIONS = new URL('../definitions/', import.meta.url);

/** Definitions come first, on a machine that others use, too. */
export const PATIENT = { timeoutMs: 30_000 };

/** Ready. The definitions are there before: `definitions.test.ts` is about how they come. */
export async function start(setup: Partial<Setup> = {}): Promise<Scene> {
  const place = await startExample({
    name: 'mysql',
    controllers: operator,
    manifests: [DEFINITIONS],
    ...setup,
  });
  if (setup.stopped !== true) await eventually(() => place.operator.ready, PATIENT);
  return sceneOf(place);
}

function sceneOf(place: Place): Scene {
  const { env, namespace } = place;
  const get =
    <T extends KubernetesObject>(apiVersion: string, kind: string, usual?: string) =>
    (name = usual ?? ''): Promise<T | undefined> =>
      env.get<T>(apiVersion, kind, namespace, name);
  const own = {
    cluster: get<Cluster>(VERSION, 'MySQLCluster', 'my-cluster'),
    schedule: get<Schedule>(VERSION, 'MySQLBackupSchedule', 'my-backup'),
    instance: get<Instance>(VERSION, 'MySQLBackupInstance'),
    service: get<Service>('v1', 'Service'),
    statefulSet: get<StatefulSet>('apps/v1', 'StatefulSet', 'my-cluster'),
    cronJob: get<CronJob>('batch/v1', 'CronJob', 'my-backup-job'),
    job: get<Job>('batch/v1', 'Job'),
    backUp: (name: string) =>
      env.create<Instance>({
        apiVersion: VERSION,
        kind: 'MySQLBackupInstance',
        metadata: { name, namespace },
        spec: { schedule: 'my-backup', cluster: 'my-cluster' },
      }),
  };
  return Object.assign(place, own);
}

/** Resolves to the object when its condition Ready has this reason, and speaks of the latest spec. */
export function untilReady<T extends Cluster | Schedule | Instance>(
  read: () => Promise<T | undefined>,
  reason: string,
): Promise<T> {
  return eventually(async () => {
    const live = await read();
    const ready = live?.status?.conditions?.find(({ type }) => type === 'Ready');
    const isCurrent = ready?.observedGeneration === live?.metadata.generation;
    if (ready?.reason === reason && isCurrent) return live;
    throw new Error(`${live?.metadata.name ?? 'nothing'}: ${ready?.reason}: ${ready?.message}`);
  }, PATIENT);
}
