/**
 * Several keys share one ConfigMap, which is replaced without the version that was read. After
 * chideat/valkey-operator, pull request 108: a live user was dropped, and nothing added it again.
 */
import { type Controller, controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { all, find, GROUP, NAMESPACE, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const users = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'DatabaseUser',
  spec: Type.Object({}),
});

function namesIn(text = ''): readonly string[] {
  return text.split(',').filter((name) => name !== '');
}

function databaseUser(options: { readonly force: boolean }): Controller {
  return controller({
    name: 'database-user',
    for: users,
    maxConcurrentReconciles: 2,
    permissions: [{ resource: configMaps, verbs: ['get', 'update'] }],
    async reconcile({ metadata: { name } }, { client }) {
      const acl = await client.get(configMaps, { namespace: NAMESPACE, name: 'acl' });
      const names = namesIn(acl.data?.users);
      if (names.includes(name)) return;
      const data = { users: [...names, name].sort().join(',') };
      await client.update(configMaps, { ...acl, data }, options);
    },
  });
}

export const unconditionalUpdate: Fault = {
  name: 'lost update of a shared object',
  source: 'chideat/valkey-operator#108',
  scenario: {
    objects: [users.definition, objectOf(configMaps, { name: 'acl' }, { data: { users: '' } })],
    changes: ['anna', 'ben'].map((name) => ({
      name: `DatabaseUser ${name} is created`,
      apply: (cluster) => void cluster.create(objectOf(users, { name }, { spec: {} })),
    })),
    atRest: [
      {
        name: 'every user has access',
        check: (cluster) => {
          const known = namesIn(find(cluster, configMaps, 'acl')?.data?.users);
          const lost = all(cluster, users).filter(({ metadata }) => !known.includes(metadata.name));
          return lost.length === 0 ? undefined : `${lost[0]?.metadata.name} has none`;
        },
      },
    ],
  },
  faulty: () => [databaseUser({ force: true })],
  corrected: () => [databaseUser({ force: false })],
  breaks: 'every user has access',
  deviations: 1,
};
