/**
 * A deletion waits for what is still in use, and nothing asks again. After EnMasseProject/enmasse, pull request 4913, and
 * openshift/local-storage-operator, pull request 513: deleted objects hung until something else changed.
 */
import { type Controller, controller, type Outcome, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { find, GROUP, objectOf, remove } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const pools = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Pool',
  spec: Type.Object({}),
  status: Type.Object({ phase: Type.String() }),
});

/** ConfigMaps stand for the claims. */
const claims = source(configMaps, { labelSelector: 'pool' });

const FINALIZER = `${GROUP}/in-use`;

/** @param waiting - the outcome of a reconcile that finds a claim of a Pool that is being deleted. */
function pool(waiting: Outcome): Controller {
  return controller({
    name: 'pool',
    for: pools,
    reads: [claims],
    permissions: [{ resource: pools, verbs: ['patch'] }],
    async reconcile({ metadata }, { client, setStatus, store }) {
      const setFinalizers = (finalizers: readonly string[]): Promise<unknown> =>
        client.patch(pools, metadata, { type: 'merge', body: { metadata: { finalizers } } });
      if (metadata.deletionTimestamp === undefined) {
        if (!metadata.finalizers?.includes(FINALIZER)) await setFinalizers([FINALIZER]);
        return;
      }
      if (store(claims).list({ selector: `pool=${metadata.name}` }).length > 0) {
        await setStatus({ phase: 'InUse' });
        return waiting;
      }
      await setFinalizers([]);
      return;
    },
  });
}

export const forgottenRequeue: Fault = {
  name: 'forgotten requeue',
  source: 'EnMasseProject/enmasse#4913',
  scenario: {
    objects: [
      pools.definition,
      objectOf(pools, { name: 'demo' }, { spec: {} }),
      objectOf(configMaps, { name: 'claim', labels: { pool: 'demo' } }, {}),
    ],
    changes: [
      {
        name: 'the claim and its Pool are deleted',
        apply: (cluster) => {
          remove(cluster, configMaps, 'claim');
          remove(cluster, pools, 'demo');
        },
      },
    ],
    atRest: [
      {
        name: 'a deleted Pool without claims goes away',
        check: (cluster) =>
          find(cluster, configMaps, 'claim') === undefined && find(cluster, pools, 'demo')
            ? 'the claim is gone, and the Pool is still there'
            : undefined,
      },
    ],
  },
  faulty: () => [pool(undefined)],
  corrected: () => [pool({ requeueAfterMs: 10_000 })],
  breaks: 'a deleted Pool without claims goes away',
  deviations: 1,
};
