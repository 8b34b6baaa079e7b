/**
 * The finalizer deletes what the cache shows, and is removed when the cache shows nothing. After pingcap/tidb-operator,
 * issue 6532: a resource that was just created is not seen while its owner is deleted, and leaks.
 */
import {
  type Controller,
  controller,
  isAlreadyExists,
  type ReconcileContext,
  source,
} from 'chancery';
import { type Secret, secrets } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { all, find, GROUP, objectOf, remove } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const instances = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Instance',
  spec: Type.Object({}),
});
type Instance = ObjectOf<typeof instances>;

const accounts = source(secrets, { labelSelector: 'app=instance' });

type ListAccounts = (
  instance: Instance,
  context: ReconcileContext<Instance>,
) => readonly Secret[] | Promise<readonly Secret[]>;

function instance(accountsOf: ListAccounts): Controller {
  return controller({
    name: 'instance',
    for: instances,
    reads: [accounts],
    permissions: [{ resource: secrets, verbs: ['list', 'create', 'delete'] }],
    consistency: 'none',
    finalizer: {
      name: `${GROUP}/accounts`,
      async finalize(instance, context) {
        for (const { metadata } of await accountsOf(instance, context)) {
          await context.client.delete(secrets, metadata);
        }
      },
    },
    async reconcile({ metadata: { name } }, { client, store }) {
      if (store(accounts).get({ namespace: 'default', name: `${name}-account` })) return;
      const labels = { app: 'instance', instance: name };
      try {
        await client.create(secrets, objectOf(secrets, { name: `${name}-account`, labels }, {}));
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    },
  });
}

const cached: ListAccounts = ({ metadata }, { store }) =>
  store(accounts).list({ selector: `instance=${metadata.name}` });

const live: ListAccounts = ({ metadata: { name, namespace } }, { client }) =>
  client.list(secrets, { namespace, labelSelector: `instance=${name}` });

export const finalizerByCache: Fault = {
  name: 'finalizer that believes the cache',
  source: 'pingcap/tidb-operator#6532',
  scenario: {
    objects: [instances.definition, objectOf(instances, { name: 'demo' }, { spec: {} })],
    changes: [
      { name: 'the Instance is deleted', apply: (cluster) => remove(cluster, instances, 'demo') },
    ],
    atRest: [
      {
        name: 'no account outlives its Instance',
        check: (cluster) => {
          if (find(cluster, instances, 'demo') !== undefined) return undefined;
          return all(cluster, secrets).some(({ metadata }) => metadata.labels?.app === 'instance')
            ? 'the Instance is gone, and its account is there'
            : undefined;
        },
      },
    ],
  },
  faulty: () => [instance(cached)],
  corrected: () => [instance(live)],
  breaks: 'no account outlives its Instance',
  deviations: 2,
};
