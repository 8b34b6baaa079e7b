/**
 * An address is free when it is read and taken when it is written. After istio/istio, pull request 57753, and
 * k8snetworkplumbingwg/whereabouts, issue 110: one address was given twice.
 */
import { type Controller, controller, isAlreadyExists, type ReconcileContext } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { all, GROUP, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const addresses = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Address',
  spec: Type.Object({}),
  status: Type.Object({ ip: Type.Optional(Type.String()) }),
});
type Address = ObjectOf<typeof addresses>;

const POOL = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];

type Allocate = (address: Address, context: ReconcileContext<Address>) => Promise<string>;

function allocator(allocate: Allocate): Controller {
  return controller({
    name: 'allocator',
    for: addresses,
    maxConcurrentReconciles: 2,
    permissions: [
      { resource: addresses, verbs: ['list'] },
      { resource: configMaps, verbs: ['get', 'create'] },
    ],
    async reconcile(address, context) {
      if (address.status?.ip !== undefined) return;
      await context.setStatus({ ip: await allocate(address, context) });
    },
  });
}

const firstFree: Allocate = async ({ metadata: { namespace } }, { client }) => {
  const listed = await client.list(addresses, { namespace });
  const taken = listed.map(({ status }) => status?.ip);
  return orThrow(POOL.find((ip) => !taken.includes(ip)));
};

/** The name of a ConfigMap is the address, and only one object can have it. */
const byName: Allocate = async ({ metadata }, { client }) => {
  for (const ip of POOL) {
    const lease = objectOf(configMaps, { name: ip }, { data: { address: metadata.name } });
    try {
      await client.create(configMaps, lease);
      return ip;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const { data } = await client.get(configMaps, lease.metadata);
    if (data?.address === metadata.name) return ip;
  }
  return orThrow(undefined);
};

function orThrow(ip: string | undefined): string {
  if (ip === undefined) throw new Error('no address is free');
  return ip;
}

export const doubleAllocation: Fault = {
  name: 'time of check to time of use',
  source: 'istio/istio#57753',
  scenario: {
    objects: [addresses.definition],
    changes: ['a', 'b'].map((name) => ({
      name: `Address ${name} is created`,
      apply: (cluster) => void cluster.create(objectOf(addresses, { name }, { spec: {} })),
    })),
    atRest: [
      {
        name: 'no address is given twice',
        check: (cluster) => {
          const given = all(cluster, addresses).map(({ status }) => status?.ip);
          return new Set(given).size === given.length ? undefined : `${given[0]} is given twice`;
        },
      },
    ],
    // Who is first has the first address.
    ignore: ({ apiVersion, kind, metadata: { name } }) => ({
      apiVersion,
      kind,
      metadata: { name },
    }),
  },
  faulty: () => [allocator(firstFree)],
  corrected: () => [allocator(byName)],
  breaks: 'no address is given twice',
  deviations: 1,
};
