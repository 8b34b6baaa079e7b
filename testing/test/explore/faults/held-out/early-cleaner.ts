/**
 * A periodic cleanup frees what no Pod reports, while a Pod is about to report it. After
 * k8snetworkplumbingwg/whereabouts, issue 162: addresses were freed that had just been given, and given again.
 */
import { type Controller, controller, everyMs, isConflict, source, updateLive } from 'chancery';
import { configMaps, type Pod, pods } from 'chancery/kubernetes';
import { pod } from '../../../../src/objects/workloads.ts';
import { find, NAMESPACE, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

/** Address → name of its Pod. */
const POOL = { namespace: NAMESPACE, name: 'pool' };
const ADDRESSES = ['10.0.0.1', '10.0.0.2'];
const REPORTED = 'reported-address';

function allocator(): Controller {
  return controller({
    name: 'allocator',
    for: pods,
    permissions: [
      { resource: configMaps, verbs: ['get', 'update'] },
      { resource: pods, verbs: ['patch'] },
    ],
    async reconcile({ metadata }, { client, clock, signal }) {
      if (metadata.annotations?.[REPORTED] !== undefined) return;
      const pool = await updateLive(
        client,
        configMaps,
        POOL,
        (live) => withAddress(live, metadata.name),
        { clock, signal },
      );
      const address = addressOf(pool.data, metadata.name);
      const body = { metadata: { annotations: { [REPORTED]: address } } };
      await client.patch(pods, metadata, { type: 'merge', body });
    },
  });
}

type Pool = ReturnType<typeof poolOf>;
type Data = Readonly<Record<string, string>>;

function poolOf(data: Data) {
  return objectOf(configMaps, POOL, { data });
}

function addressOf(data: Data = {}, podName: string): string | undefined {
  return Object.keys(data).find((address) => data[address] === podName);
}

function withAddress(pool: Pool, podName: string): Pool {
  const { data = {} } = pool;
  const free = ADDRESSES.find((address) => data[address] === undefined);
  if (addressOf(data, podName) !== undefined || free === undefined) return pool;
  return { ...pool, data: { ...data, [free]: podName } };
}

/** @param isUsed - whether the address of the Pod is in use. Undefined is a Pod that does not exist. */
function cleaner(isUsed: (pod: Pod | undefined) => boolean): Controller {
  return controller({
    name: 'cleaner',
    for: source(configMaps, { fieldSelector: 'metadata.name=pool' }),
    predicate: () => false,
    triggers: [everyMs(60_000, [POOL])],
    permissions: [
      { resource: configMaps, verbs: ['get', 'update'] },
      { resource: pods, verbs: ['list'] },
    ],
    async reconcile(_cached, { client }) {
      const pool = await client.get(configMaps, POOL);
      const listed = await client.list(pods, { namespace: NAMESPACE });
      const entries = Object.entries(pool.data ?? {});
      const used = entries.filter(([, podName]) =>
        isUsed(listed.find(({ metadata }) => metadata.name === podName)),
      );
      if (used.length === entries.length) return;
      try {
        await client.update(configMaps, { ...pool, data: Object.fromEntries(used) });
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    },
  });
}

export const earlyCleaner: Fault = {
  name: 'cleanup of what is about to be used',
  source: 'k8snetworkplumbingwg/whereabouts#162',
  scenario: {
    objects: [poolOf({})],
    changes: [
      {
        name: 'a Pod is created',
        apply: (cluster) => void cluster.create(pod('web-0', { namespace: NAMESPACE })),
      },
    ],
    atRest: [
      {
        name: 'the address of a Pod is taken in the pool',
        check: (cluster) => {
          const address = find(cluster, pods, 'web-0')?.metadata.annotations?.[REPORTED];
          if (address === undefined) return undefined;
          const owner = find(cluster, configMaps, 'pool')?.data?.[address];
          return owner === 'web-0' ? undefined : `${address} is free`;
        },
      },
    ],
  },
  faulty: () => [
    allocator(),
    cleaner((each) => each?.metadata.annotations?.[REPORTED] !== undefined),
  ],
  corrected: () => [allocator(), cleaner((each) => each !== undefined)],
  breaks: 'the address of a Pod is taken in the pool',
  deviations: 1,
};
