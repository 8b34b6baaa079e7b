/**
 * A job is submitted, and then the conflict of a status update makes the reconcile begin again. After ray-project/kuberay,
 * issue 756: conflicts caused two jobs.
 */
import { type Controller, controller, isAlreadyExists } from 'chancery';
import { type Job, jobs } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { job } from '../../../../src/objects/workloads.ts';
import { all, controlledBy, GROUP, NAMESPACE, objectOf, patch } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const rayJobs = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'RayJob',
  spec: Type.Object({}),
  status: Type.Object({ job: Type.Optional(Type.String()) }),
});
type RayJob = ObjectOf<typeof rayJobs>;
type Versioned = RayJob & { readonly metadata: { readonly resourceVersion: string } };

/** @param named - the name of the Job, or what its name begins with. */
function submitter(named: (name: string) => object): Controller {
  return controller({
    name: 'submitter',
    for: rayJobs,
    owns: [jobs],
    permissions: [
      { resource: jobs, verbs: ['create'] },
      { resource: rayJobs, subresource: 'status', verbs: ['update'] },
    ],
    async reconcile(rayJob, { client }) {
      if (rayJob.status?.job !== undefined) return;
      const { name } = rayJob.metadata;
      const metadata = { name: '', ...named(name), namespace: NAMESPACE, ...controlledBy(rayJob) };
      const submitted: Job = { ...(job(name) as Job), metadata };
      const stored = await client.create(jobs, submitted).catch((error: unknown) => {
        if (isAlreadyExists(error)) return submitted;
        throw error;
      });
      const status = { ...rayJob.status, job: stored.metadata.name };
      await client.update(rayJobs, { ...(rayJob as Versioned), status }, { subresource: 'status' });
    },
  });
}

export const doublingRetry: Fault = {
  name: 'retry that doubles',
  source: 'ray-project/kuberay#756',
  scenario: {
    objects: [rayJobs.definition, objectOf(rayJobs, { name: 'demo' }, { spec: {} })],
    changes: [
      {
        name: 'somebody annotates the RayJob',
        apply: (cluster) =>
          patch(cluster, rayJobs, 'demo', { metadata: { annotations: { note: 'ours' } } }),
      },
    ],
    atRest: [
      {
        name: 'one Job is submitted',
        check: (cluster) => {
          const { length } = all(cluster, jobs);
          return length === 1 ? undefined : `${length} were submitted`;
        },
      },
    ],
  },
  faulty: () => [submitter((name) => ({ generateName: `${name}-` }))],
  corrected: () => [submitter((name) => ({ name }))],
  breaks: 'one Job is submitted',
  deviations: 1,
};
