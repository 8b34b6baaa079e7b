/**
 * At most one Job may run, and the cache is asked whether one does. After the review of kubernetes/kubernetes, pull request
 * 93370, where a comment in the CronJob controller says that two can run for this reason.
 */
import { type Controller, controller, isAlreadyExists, type ReconcileContext } from 'chancery';
import { type Job, jobs } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { job } from '../../../../src/objects/workloads.ts';
import { all, GROUP, NAMESPACE, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const backups = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'BackupRun',
  spec: Type.Object({}),
});
type Context = ReconcileContext<ObjectOf<typeof backups>>;

/** Returns without a Job when another one runs; the key is asked again after a while. */
type Begin = (name: string, context: Context) => Promise<boolean>;

function backup(begin: Begin): Controller {
  return controller({
    name: 'backup',
    for: backups,
    reads: [jobs],
    permissions: [{ resource: jobs, verbs: ['create'] }],
    consistency: 'none',
    async reconcile({ metadata: { name } }, context) {
      if (!(await begin(name, context))) return { requeueAfterMs: 60_000 };
      return;
    },
  });
}

async function created(name: string, run: string, { client }: Context): Promise<boolean> {
  const labels = { run };
  try {
    await client.create(jobs, job(name, { namespace: NAMESPACE, labels }) as Job);
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return false;
  }
}

const askCache: Begin = async (run, context) => {
  const running = context.store(jobs).list();
  if (running.some(({ metadata }) => metadata.labels?.run !== run)) return false;
  return running.length > 0 || created(`backup-${run}`, run, context);
};

/** One name for every run: only one object can have it. */
const takeName: Begin = async (run, context) => {
  const [running] = context.store(jobs).list();
  if (running?.metadata.labels?.run === run) return true;
  return created('backup', run, context);
};

export const forbiddenConcurrency: Fault = {
  name: 'two Jobs where one may run',
  source: 'kubernetes/kubernetes#93370',
  scenario: {
    objects: [backups.definition],
    changes: ['nightly', 'manual'].map((name) => ({
      name: `BackupRun ${name} is created`,
      apply: (cluster) => void cluster.create(objectOf(backups, { name }, { spec: {} })),
    })),
    atEachStep: [
      {
        name: 'at most one Job runs',
        check: (cluster) => {
          const { length } = all(cluster, jobs);
          return length <= 1 ? undefined : `${length} run`;
        },
      },
    ],
    // Who is first has the Job.
    ignore: (object) => (object.kind === 'Job' ? undefined : object),
  },
  faulty: () => [backup(askCache)],
  corrected: () => [backup(takeName)],
  breaks: 'at most one Job runs',
  deviations: 2,
};
