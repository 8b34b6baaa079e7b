import type { TestEnv } from '@chancery/testing';
import { FakeClock, startTestEnv } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import { type Call, type Interceptor, isRead } from '../../operator/client/call.ts';
import type { Client } from '../../operator/client/client.ts';
import { intercept } from '../../operator/client/client-of.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { AppliedMemory } from '../../operator/controller/children/applied-memory.ts';
import {
  applyOwned,
  deleteOwned,
  type OwnerOfChildren,
} from '../../operator/controller/children/apply-owned.ts';
import type {
  ApplyOwnedOptions,
  DeleteOwnedOptions,
  Desired,
} from '../../operator/controller/reconciler.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';

/** An owner on the API server that `CHANCERY_TEST_ENV` names, and what a controller of it does about children. */
export interface Family {
  readonly env: TestEnv;
  /** Of the controller, and of the embedded API server; no other server knows it. */
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
  remove(
    resource: Resource,
    child: { readonly name: string; readonly namespace?: string },
    options?: DeleteOwnedOptions,
  ): Promise<boolean>;
  /** A ConfigMap of that name, as the server has it. */
  child(name?: string): Promise<ConfigMap | undefined>;
  /** A ConfigMap that somebody else has made, under another field manager. */
  foreign(metadata?: object, data?: ConfigMap['data']): Promise<ConfigMap>;
  /** Requests of the controller to the API server. */
  requests(): readonly string[];
  /** Those that are to change something. */
  writes(): readonly string[];
  /** The process starts anew, and remembers nothing. */
  restart(): void;
}

/** @param interceptors - around the calls of the controller. */
export async function startFamily(...interceptors: readonly Interceptor[]): Promise<Family> {
  const clock = new FakeClock();
  const env = await startTestEnv({ embedded: { workloads: false, clock } });
  onTestFinished(() => env.stop());
  const transport = undiciTransport(env.url, { clock });
  onTestFinished(() => transport.close());
  const rest = restClient({ transport, fieldManager: 'tester', clock });
  const calls: Call[] = [];
  const client = intercept(rest, ...interceptors, (next) => (call) => {
    calls.push(call);
    return next(call);
  });
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
    remove: (resource, target, options) =>
      deleteOwned({ owner, client, known }, resource, target, options),
    child: (name = 'a') => env.get<ConfigMap>('v1', 'ConfigMap', namespace, name),
    foreign: (metadata = {}, data = { theirs: 'x' }) =>
      env.create(configMap(namespace, 'a', metadata, data)),
    requests: () => calls.map(textOf),
    writes: () => calls.filter((call) => !isRead(call)).map(textOf),
    restart() {
      memory = new AppliedMemory();
    },
  };
}

function textOf(call: Call): string {
  if (call.verb === 'create' || call.verb === 'list') return call.verb;
  const { name } = 'object' in call ? call.object.metadata : call.target;
  const verb = { apply: 'patch', find: 'get' }[call.verb as string] ?? call.verb;
  return `${verb} ${name}`;
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
