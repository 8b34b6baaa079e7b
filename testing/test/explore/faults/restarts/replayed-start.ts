/**
 * What was acted upon is remembered in memory only, so that the first list of a new process acts upon it again. After
 * NexusGPU/tensor-fusion, pull request 721: all Pods of a vendor were recreated at each restart of the operator.
 */
import { type Controller, controller, type ReconcileContext } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { find, GROUP, NAMESPACE, objectOf, patch } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const configs = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'ProviderConfig',
  spec: Type.Object({ driver: Type.String() }),
});
type Config = ObjectOf<typeof configs>;

/** A ConfigMap stands for the Pods of a vendor: it counts how often they were recreated. */
const PODS = { namespace: NAMESPACE, name: 'vendor-pods' };

type Data = Readonly<Record<string, string>>;
/** Whether this was acted upon before, and what to store about it. */
interface Memory {
  has(config: Config, data: Data): boolean;
  add(config: Config): Data;
}

function provider({ has, add }: Memory): Controller {
  return controller({
    name: 'provider',
    for: configs,
    permissions: [{ resource: configMaps, verbs: ['get', 'update'] }],
    async reconcile(config, { client }: ReconcileContext<Config>) {
      const pods = await client.get(configMaps, PODS);
      const { data = {} } = pods;
      if (has(config, data)) return;
      const recreated = String(Number(data.recreated) + 1);
      await client.update(configMaps, { ...pods, data: { ...data, recreated, ...add(config) } });
    },
  });
}

function inMemory(): Memory {
  let acted: string | undefined;
  return {
    has: ({ spec }) => spec.driver === acted,
    add({ spec }) {
      acted = spec.driver;
      return {};
    },
  };
}

const STORED: Memory = {
  has: ({ spec }, data) => spec.driver === data.driver,
  add: ({ spec }) => ({ driver: spec.driver }),
};

export const replayedStart: Fault = {
  name: 'memory that a restart loses',
  source: 'NexusGPU/tensor-fusion#721',
  scenario: {
    objects: [
      configs.definition,
      objectOf(configs, { name: 'demo' }, { spec: { driver: 'v1' } }),
      objectOf(configMaps, PODS, { data: { recreated: '0' } }),
    ],
    changes: [
      {
        name: 'the driver changes',
        apply: (cluster) => patch(cluster, configs, 'demo', { spec: { driver: 'v2' } }),
      },
    ],
    atRest: [
      {
        name: 'Pods are recreated at most once for each change',
        check: (cluster) => {
          const generation = find(cluster, configs, 'demo')?.metadata.generation ?? 0;
          const recreated = Number(find(cluster, configMaps, PODS.name)?.data?.recreated);
          return recreated <= generation
            ? undefined
            : `generation ${generation}, and recreated ${recreated} times`;
        },
      },
    ],
    // A change that comes before the first reconcile costs one recreation less.
    ignore: (object) => (object.metadata.name === PODS.name ? undefined : object),
  },
  faulty: () => [provider(inMemory())],
  corrected: () => [provider(STORED)],
  breaks: 'Pods are recreated at most once for each change',
  deviations: 1,
};
