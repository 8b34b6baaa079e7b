/**
 * A Job is deleted when it has ended, and only then is it recorded that it ran. After
 * openstack-k8s-operators/nova-operator, issue 110: a failed status update let the Job run a second time.
 */
import { type Controller, controller, isAlreadyExists, isNotFound, source } from 'chancery';
import { configMaps, type Job, jobs } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { job } from '../../../../src/objects/workloads.ts';
import { all, controlledBy, find, GROUP, NAMESPACE, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const syncs = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'DatabaseSync',
  spec: Type.Object({}),
  status: Type.Object({ synced: Type.Boolean() }),
});
type Sync = ObjectOf<typeof syncs>;

/** Stands for kubelet and Job controller: it runs each Job once, which leaves a ConfigMap, and says that it has ended. */
function runner(): Controller {
  return controller({
    name: 'runner',
    for: source(jobs),
    permissions: [
      { resource: configMaps, verbs: ['create'] },
      { resource: jobs, subresource: 'status', verbs: ['patch'] },
    ],
    async reconcile({ metadata, status }, { client }) {
      if (status?.succeeded === 1) return;
      const run = objectOf(
        configMaps,
        { name: `run-${metadata.uid}`, labels: { run: 'true' } },
        {},
      );
      await client.create(configMaps, run).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
      const body = { status: { succeeded: 1 } };
      await client.patch(jobs, metadata, { type: 'merge', body }, { subresource: 'status' });
    },
  });
}

/** Without it a Job waits for a collector, which is to orphan its Pods. */
const IN_BACKGROUND = { propagationPolicy: 'Background' } as const;

/** @param steps - what to do with a Job that has ended, in this order. */
function sync(steps: readonly ('record' | 'delete')[]): Controller {
  return controller({
    name: 'database-sync',
    for: syncs,
    owns: [jobs],
    permissions: [{ resource: jobs, verbs: ['get', 'create', 'delete'] }],
    async reconcile(sync, { client, setStatus }) {
      const target = { namespace: NAMESPACE, name: sync.metadata.name };
      const existing = await client.find(jobs, target);
      if (existing === undefined) {
        if (!sync.status?.synced) await client.create(jobs, jobOf(sync));
        return;
      }
      if (existing.status?.succeeded !== 1) return;
      for (const step of steps) {
        if (step === 'record') await setStatus({ synced: true });
        else await client.delete(jobs, target, IN_BACKGROUND).catch(unlessNotFound);
      }
    },
  });
}

function jobOf(sync: Sync): Job {
  const { name } = sync.metadata;
  return job(name, { namespace: NAMESPACE, ...controlledBy(sync) }) as Job;
}

function unlessNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

export const effectDoneAgain: Fault = {
  name: 'effect that is not idempotent',
  source: 'openstack-k8s-operators/nova-operator#110',
  scenario: {
    objects: [syncs.definition, objectOf(syncs, { name: 'demo' }, { spec: {} })],
    atRest: [
      {
        name: 'the Job runs once',
        check: (cluster) => {
          const { length } = all(cluster, configMaps).filter(
            ({ metadata }) => metadata.labels?.run === 'true',
          );
          return length === 1 ? undefined : `it ran ${length} times`;
        },
      },
      {
        name: 'the run is recorded',
        check: (cluster) =>
          find(cluster, syncs, 'demo')?.status?.synced ? undefined : 'it is not recorded',
      },
    ],
    // Their names are made of uids.
    ignore: (object) => (object.kind === 'ConfigMap' ? undefined : object),
  },
  faulty: () => [runner(), sync(['delete', 'record'])],
  corrected: () => [runner(), sync(['record', 'delete'])],
  breaks: 'the Job runs once',
  deviations: 1,
};
