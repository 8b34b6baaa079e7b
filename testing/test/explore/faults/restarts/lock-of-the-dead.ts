/**
 * A process ends while it holds a lock, and the next one waits for it. After kubereboot/kured, issue 137: "Lock already
 * held" for ever, by a node that did not exist any more.
 */
import { type Controller, controller, isAlreadyExists } from 'chancery';
import { configMaps, type Job, jobs } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { job } from '../../../../src/objects/workloads.ts';
import { all, find, GROUP, NAMESPACE, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const reboots = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Reboot',
  spec: Type.Object({}),
  status: Type.Object({ done: Type.Boolean() }),
});

const LOCK = { namespace: NAMESPACE, name: 'reboot-lock' };

/** @param mayTake - whether `name` may go on, when `holder` has the lock. */
function reboot(mayTake: (holder: string, name: string) => boolean): Controller {
  return controller({
    name: 'reboot',
    for: reboots,
    permissions: [
      { resource: configMaps, verbs: ['get', 'update'] },
      { resource: jobs, verbs: ['create'] },
    ],
    async reconcile({ metadata: { name }, status }, { client, setStatus }) {
      const lock = await client.get(configMaps, LOCK);
      const { holder = '' } = lock.data ?? {};
      if (status?.done && holder !== name) return;
      if (holder !== '' && !mayTake(holder, name)) return { requeueAfterMs: 30_000 };
      const taken = await client.update(configMaps, { ...lock, data: { holder: name } });
      try {
        await client.create(jobs, job(`reboot-${name}`, { namespace: NAMESPACE }) as Job);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      await setStatus({ done: true });
      await client.update(configMaps, { ...lock, ...taken, data: { holder: '' } } as typeof lock);
      return;
    },
  });
}

export const lockOfTheDead: Fault = {
  name: 'lock that a crash leaves behind',
  source: 'kubereboot/kured#137',
  scenario: {
    objects: [
      reboots.definition,
      objectOf(configMaps, LOCK, { data: { holder: '' } }),
      objectOf(reboots, { name: 'node-a' }, { spec: {} }),
    ],
    atRest: [
      {
        name: 'every Reboot is done, and the lock is free',
        check: (cluster) => {
          const open = all(cluster, reboots).find(({ status }) => !status?.done);
          const holder = find(cluster, configMaps, LOCK.name)?.data?.holder;
          if (open !== undefined) return `${open.metadata.name} waits for ${holder}`;
          return holder === '' ? undefined : `${holder} has the lock`;
        },
      },
    ],
  },
  faulty: () => [reboot(() => false)],
  corrected: () => [reboot((holder, name) => holder === name)],
  breaks: 'every Reboot is done, and the lock is free',
  deviations: 1,
};
