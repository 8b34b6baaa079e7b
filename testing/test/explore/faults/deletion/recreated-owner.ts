/**
 * Claims are found by the name of their owner and deleted after it, when another owner may have the name. After
 * datastax/cass-operator, issue 412: the claims of a datacenter that was created again were deleted.
 */
import {
  type Controller,
  controller,
  type GoneContext,
  isConflict,
  isNotFound,
  source,
  splitKey,
} from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { find, GROUP, objectOf, remove } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const datacenters = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Datacenter',
  spec: Type.Object({}),
});

/** ConfigMaps stand for the claims, which in Kubernetes also have a finalizer of their own. */
const claims = source(configMaps, { labelSelector: 'datacenter' });

type Gone = NonNullable<Controller['gone']>;

function datacenter(gone: Gone): Controller {
  return controller({
    name: 'datacenter',
    for: datacenters,
    reads: [claims],
    permissions: [
      { resource: configMaps, verbs: ['list', 'delete'] },
      { resource: datacenters, verbs: ['get'] },
    ],
    reconcile() {},
    gone,
  });
}

const listClaims = (key: Parameters<Gone>[0], { client }: GoneContext) => {
  const { name, namespace } = splitKey(key);
  return client.list(configMaps, { namespace, labelSelector: `datacenter=${name}` });
};

const deleteByLabel: Gone = async (key, context) => {
  for (const { metadata } of await listClaims(key, context)) {
    await context.client.delete(configMaps, metadata);
  }
};

/** The order matters: what is listed before the owner is known to be gone can belong to no later owner. */
const deleteListed: Gone = async (key, context) => {
  const listed = await listClaims(key, context);
  if (await context.client.find(datacenters, splitKey(key))) return;
  for (const { metadata } of listed) {
    const preconditions = { uid: metadata.uid };
    await context.client.delete(configMaps, metadata, { preconditions }).catch((error: unknown) => {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
  }
};

export const recreatedOwner: Fault = {
  name: 'cleanup that hits the next owner of the name',
  source: 'datastax/cass-operator#412',
  scenario: {
    objects: [
      datacenters.definition,
      objectOf(datacenters, { name: 'east' }, { spec: {} }),
      objectOf(configMaps, { name: 'data-east', labels: { datacenter: 'east' } }, {}),
    ],
    changes: [
      {
        name: 'Datacenter east is deleted',
        apply: (cluster) => remove(cluster, datacenters, 'east'),
      },
      {
        name: 'Datacenter east is created again, with a restored claim',
        apply: (cluster) => {
          const labels = { datacenter: 'east', restored: 'true' };
          cluster.create(objectOf(datacenters, { name: 'east', labels }, { spec: {} }));
          cluster.create(objectOf(configMaps, { name: 'restored-east', labels }, {}));
        },
      },
    ],
    atRest: [
      {
        name: 'the claim of a living Datacenter stays',
        check: (cluster) => {
          const isRestored = find(cluster, datacenters, 'east')?.metadata.labels?.restored;
          if (isRestored === undefined || find(cluster, configMaps, 'restored-east'))
            return undefined;
          return 'the restored claim was deleted';
        },
      },
    ],
    // Whether the old claim is deleted before the new owner comes is open: the name of the owner selects both.
    ignore: (object) => (object.metadata.name === 'data-east' ? undefined : object),
  },
  faulty: () => [datacenter(deleteByLabel)],
  corrected: () => [datacenter(deleteListed)],
  breaks: 'the claim of a living Datacenter stays',
  deviations: 1,
};
