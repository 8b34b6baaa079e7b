import { onTestFinished } from 'vitest';
import { releaseProtected } from '../../../src/apiserver/admission/storage-protection.ts';
import { Authentication } from '../../../src/apiserver/auth/authentication.ts';
import { ALWAYS_ALLOW } from '../../../src/apiserver/auth/authorization.ts';
import { ServiceAccountTokens } from '../../../src/apiserver/auth/service-account-tokens.ts';
import { behaviourOf } from '../../../src/apiserver/behaviour/behaviour.ts';
import { builtInResources } from '../../../src/apiserver/built-in-kinds/built-in.ts';
import type { ClusterAccess } from '../../../src/apiserver/cluster/cluster-access.ts';
import { INSTANT_PACES } from '../../../src/apiserver/controllers/runner/pace.ts';
import {
  startWorkloads,
  type WorkloadOptions,
} from '../../../src/apiserver/controllers/workloads.ts';
import { InProcessAccess } from '../../../src/apiserver/in-process-access.ts';
import type {
  CommittedEvent,
  ResourceName,
  StoredObject,
} from '../../../src/apiserver/objects/stored-object.ts';
import { Registry } from '../../../src/apiserver/registry/registry.ts';
import { Storage } from '../../../src/apiserver/storage/storage.ts';
import { WatchCache } from '../../../src/apiserver/watch/watch-cache.ts';
import { WebhookClient } from '../../../src/apiserver/webhooks/webhook-client.ts';
import { FakeClock } from '../../../src/time/fake-clock.ts';

/** A committed event, with the resource that it is of. */
export interface ObservedEvent extends CommittedEvent {
  readonly resource: ResourceName;
}

/** The embedded API server without HTTP, with its controllers, in a namespace `demo`. */
export interface SimulatedCluster {
  readonly access: ClusterAccess;
  readonly clock: FakeClock;
  /** Every event since the controllers started. */
  readonly events: readonly ObservedEvent[];
  close(): void;
}

/** The start of the recordings. */
const START_MS = Date.parse('2026-11-21T06:29:57Z');

/** @param prepare - what is in the cluster before its controllers start. */
export function simulatedCluster(
  options: WorkloadOptions = {},
  prepare: (access: ClusterAccess) => void = () => {},
): SimulatedCluster {
  const clock = new FakeClock(START_MS);
  const storage = new Storage({ historyLimit: 10_000 });
  const behaviour = behaviourOf();
  const cluster = {
    storage,
    watchCache: new WatchCache(storage, clock, behaviour),
    behaviour,
    registry: new Registry(builtInResources(behaviour)),
    clock,
    authentication: new Authentication({}, new ServiceAccountTokens(storage, clock)),
    authorization: ALWAYS_ALLOW,
    webhooks: new WebhookClient({}, clock, () => false),
    later: (delayMs: number, act: () => void) => clock.schedule(delayMs, act),
  };
  const access = new InProcessAccess(cluster, 'test');
  access.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  prepare(access);
  const accessOf = (manager: string): ClusterAccess => new InProcessAccess(cluster, manager);
  releaseProtected(cluster, accessOf('kube-controller-manager'));
  const workloads = startWorkloads(accessOf, { paces: INSTANT_PACES, ...options }, clock);
  onTestFinished(() => workloads.close());
  const events: ObservedEvent[] = [];
  access.subscribeAll((resource, event) => {
    events.push({ resource, ...event });
  });
  return { access, clock, events, close: () => workloads.close() };
}

/** An object of a workload kind, with what all of these tests leave alike. */
export function workload(
  kind: string,
  name: string,
  spec: Readonly<Record<string, unknown>>,
): StoredObject {
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name, namespace: 'demo' },
    spec: { selector: { matchLabels: { app: name } }, template: podTemplate(name), ...spec },
  };
}

export function podTemplate(app: string): Readonly<Record<string, unknown>> {
  return {
    metadata: { labels: { app } },
    spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] },
  };
}

/** A merge patch that asks for a rolling restart, as `kubectl rollout restart` does. */
export function restart(at: string): object {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': at };
  return { spec: { template: { metadata: { annotations } } } };
}
