/** The sample operators, and what each of them has to get through. */

import type { TestEnv } from '@chancery/testing';
import { configMap, deployment, eventually } from '@chancery/testing';
import configRestart from '../../examples/config-restart/operator.ts';
import { website } from '../../examples/website/operator.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import garden, { gardens } from './modules/garden.ts';
import type { Sample } from './sample.ts';

const PATIENCE = { timeoutMs: 60_000 };

/** Any object, read as far as somebody looks. */
interface Loose extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Readonly<Record<string, unknown>>[];
  };
}

type Kind = readonly [apiVersion: string, kind: string];
const WEBSITE: Kind = ['example.dev/v1', 'Website'];
const DEPLOYMENT: Kind = ['apps/v1', 'Deployment'];
const GARDEN: Kind = ['example.dev/v1', 'Garden'];

const find = (env: TestEnv, [apiVersion, kind]: Kind, at: string, name: string) =>
  env.get<Loose>(apiVersion, kind, at, name);

/** Its status speaks of its spec, and has these fields. */
async function isUpToDate(env: TestEnv, kind: Kind, at: string, name: string, status: object) {
  const live = await find(env, kind, at, name);
  const isCurrent = live?.status?.observedGeneration === live?.metadata.generation;
  return (
    isCurrent && Object.entries(status).every(([field, value]) => live?.status?.[field] === value)
  );
}

/** Names of what was created or deleted, in order. */
function names(env: TestEnv, type: 'ADDED' | 'DELETED', resource: string, namespace: string) {
  const all = env.events.of({ type, resource, namespace }).map(({ name }) => name);
  return all.filter((name) => name !== 'kube-root-ca.crt'); // which every namespace has
}

/** Conditions by what they say, not when. */
const conditionsOf = (live: Loose | undefined) =>
  live?.status?.conditions?.map(({ lastTransitionTime: _, ...rest }) => rest);

const websiteManifests = ['crd.yaml', 'sample/website.yaml'].map(
  (file) => new URL(`../../examples/website/${file}`, import.meta.url),
);

export const changedWebsite: Sample = {
  name: 'website: created, then changed',
  module: new URL('../../examples/website/operator.ts', import.meta.url),
  controller: website,
  manifests: websiteManifests,
  async act(env, at) {
    await eventually(() => isUpToDate(env, WEBSITE, at, 'hello', { readyReplicas: 2 }), PATIENCE);
    await env.patch(...WEBSITE, at, 'hello', { spec: { replicas: 3 } });
  },
  async outcome(env, at) {
    const live = await find(env, WEBSITE, at, 'hello');
    const made = await find(env, DEPLOYMENT, at, 'hello');
    return {
      generation: live?.metadata.generation,
      finalizers: live?.metadata.finalizers,
      observedGeneration: live?.status?.observedGeneration,
      readyReplicas: live?.status?.readyReplicas,
      conditions: conditionsOf(live),
      replicas: made?.spec?.replicas,
      owned: made?.metadata.ownerReferences?.[0]?.uid === live?.metadata.uid,
      created: names(env, 'ADDED', 'deployments.apps', at),
      pods: names(env, 'ADDED', 'pods', at).length,
    };
  },
  expected: {
    generation: 2,
    finalizers: ['example.dev/farewell'],
    observedGeneration: 2,
    readyReplicas: 3,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'ReplicasReady',
        message: '3 of 3 replicas are ready',
        observedGeneration: 2,
      },
    ],
    replicas: 3,
    owned: true,
    created: ['hello'],
    pods: 3,
  },
};

export const deletedWebsite: Sample = {
  name: 'website: created, then deleted',
  module: changedWebsite.module,
  controller: website,
  manifests: websiteManifests,
  async act(env, at) {
    await eventually(() => isUpToDate(env, WEBSITE, at, 'hello', { readyReplicas: 2 }), PATIENCE);
    await env.delete(...WEBSITE, at, 'hello');
  },
  outcome: async (env, at) => ({
    websites: (await env.list(...WEBSITE, at)).length,
    deployments: (await env.list(...DEPLOYMENT, at)).length,
    created: names(env, 'ADDED', 'deployments.apps', at),
    gone: names(env, 'DELETED', 'websites.example.dev', at),
  }),
  expected: { websites: 0, deployments: 0, created: ['hello'], gone: ['hello'] },
};

const STATE = 'config-restart-state';

/** What config-restart remembers of the ConfigMap `settings`. */
async function memory(env: TestEnv, at: string): Promise<{ hash?: string; pending?: unknown }> {
  const state = await find(env, ['v1', 'ConfigMap'], at, STATE);
  return JSON.parse(state?.data?.settings ?? '{}') as { hash?: string; pending?: unknown };
}

export const restartedOnce: Sample = {
  name: 'config-restart: a ConfigMap changed once',
  module: new URL('../../examples/config-restart/operator.ts', import.meta.url),
  controller: configRestart,
  manifests: [
    [
      deployment('webapp', { replicas: 2 }),
      configMap('settings', {
        data: { value: 'one' },
        annotations: {
          'k8spatterns.io/podDeleteSelector': 'app=webapp',
          'k8spatterns.io/debounceSeconds': '0',
        },
      }),
    ],
  ],
  async act(env, at) {
    // A change before there are Pods restarts none: they begin with the new value.
    await eventually(async () => (await env.list('v1', 'Pod', at)).length === 2, PATIENCE);
    await eventually(async () => (await memory(env, at)).hash !== undefined, PATIENCE);
    await env.patch('v1', 'ConfigMap', at, 'settings', { data: { value: 'two' } });
  },
  async outcome(env, at) {
    const { hash, pending } = await memory(env, at);
    const pods = (await env.list('v1', 'Pod', at)) as readonly Loose[];
    const live = await find(env, DEPLOYMENT, at, 'webapp');
    const annotation = 'restart.chancery.dev/settings';
    const template = live?.spec?.template as Loose | undefined;
    return {
      isRemembered: hash !== undefined && pending === undefined,
      isMarked: template?.metadata.annotations?.[annotation] !== undefined,
      rollouts: names(env, 'ADDED', 'replicasets.apps', at).length,
      pods: pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length,
    };
  },
  expected: { isRemembered: true, isMarked: true, rollouts: 2, pods: 2 },
};

const plantedGarden: KubernetesObject & { readonly spec: object } = {
  apiVersion: GARDEN[0],
  kind: GARDEN[1],
  metadata: { name: 'kitchen' },
  spec: { beds: ['north', 'south'], crop: 'beans' },
};

export const clearedGarden: Sample = {
  name: 'composite: planted, changed, then cleared in order',
  module: new URL('modules/garden.ts', import.meta.url),
  controller: garden,
  manifests: [[gardens.definition as unknown as KubernetesObject], [plantedGarden]],
  async act(env, at) {
    const upToDate = () => isUpToDate(env, GARDEN, at, 'kitchen', { beds: 2 });
    await eventually(upToDate, PATIENCE);
    const spec = { beds: ['south', 'west'], crop: 'peas' };
    await env.patch(...GARDEN, at, 'kitchen', { spec });
    await eventually(upToDate, PATIENCE);
    await eventually(() => names(env, 'DELETED', 'configmaps', at).length === 1, PATIENCE);
    await env.delete(...GARDEN, at, 'kitchen');
  },
  async outcome(env, at) {
    const deleted = names(env, 'DELETED', 'configmaps', at);
    return {
      gardens: (await env.list(...GARDEN, at)).length,
      created: names(env, 'ADDED', 'configmaps', at).sort(),
      deleted: [...deleted].sort(),
      last: deleted.at(-1),
    };
  },
  expected: {
    gardens: 0,
    created: ['fence', 'north', 'south', 'west'],
    deleted: ['fence', 'north', 'south', 'west'],
    last: 'fence',
  },
};

export const samples: readonly Sample[] = [
  changedWebsite,
  deletedWebsite,
  restartedOnce,
  clearedGarden,
];
