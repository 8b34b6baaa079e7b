import { onTestFinished } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { AppliedMemory } from '../../operator/controller/applied-memory.ts';
import { applyOwned, type OwnerOfChildren } from '../../operator/controller/apply-owned.ts';
import type { ApplyOwnedOptions, Desired } from '../../operator/controller/reconciler.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { startTestEnv } from '../../operator/testing/env/start-test-env.ts';
import type { TestEnv } from '../../operator/testing/env/test-env.ts';
import { FakeClock } from '../../operator/testing/fake-clock.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';

/** An owner on an embedded API server, and what a controller of it does about children. */
export interface Family {
  readonly env: TestEnv;
  readonly clock: FakeClock;
  readonly namespace: string;
  readonly client: Client;
  readonly owner: ConfigMap;
  /** What the cache shows; without an entry the cache is as new as the server. */
  readonly cached: Map<string, KubernetesObject | undefined>;
  apply<C extends KubernetesObject>(
    resource: Resource<C>,
    desired: Desired<C>,
    options?: ApplyOwnedOptions,
  ): Promise<C>;
  /** A ConfigMap of that name, as the server has it. */
  child(name?: string): Promise<ConfigMap | undefined>;
  /** A ConfigMap that somebody else has made, under another field manager. */
  foreign(metadata?: object, data?: ConfigMap['data']): Promise<ConfigMap>;
  /** Writes that the API server has received from the controller. */
  writes(): readonly string[];
  /** The process starts anew, and remembers nothing. */
  restart(): void;
}

export async function startFamily(): Promise<Family> {
  const clock = new FakeClock();
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false, clock } });
  onTestFinished(() => env.stop());
  const transport = undiciTransport(env.url, { clock });
  onTestFinished(() => transport.close());
  const client = restClient({ transport, fieldManager: 'tester', clock });
  const namespace = await env.namespace();
  const owner = await env.create(configMap(namespace, 'owner'));
  const cached: Family['cached'] = new Map();
  let memory = new AppliedMemory();
  const known: OwnerOfChildren['known'] = async (resource, { metadata: { name, namespace } }) =>
    cached.has(name) ? (cached.get(name) as never) : client.find(resource, { name, namespace });
  return {
    env,
    clock,
    namespace,
    client,
    owner,
    cached,
    apply(resource, desired, options) {
      const family = { owner, ownerResource: configMaps, client, memory, known };
      return applyOwned({ ...family, fieldManager: 'tester' }, resource, desired, options);
    },
    child: (name = 'a') => env.get<ConfigMap>('v1', 'ConfigMap', namespace, name),
    foreign: (metadata = {}, data = { theirs: 'x' }) =>
      env.create(configMap(namespace, 'a', metadata, data)),
    writes: () =>
      env.requests
        .of()
        .filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))
        .map(({ verb, name = '' }) => [verb, name].filter(Boolean).join(' ')),
    restart() {
      memory = new AppliedMemory();
    },
  };
}

function configMap(
  namespace: string,
  name: string,
  metadata: object = {},
  data: ConfigMap['data'] = {},
): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, ...metadata },
    data,
  };
}
