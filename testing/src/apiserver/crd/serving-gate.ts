import { sleep } from 'chancery/internal-objects';
import type { Cluster } from '../cluster/cluster.ts';
import { failure } from '../failures/failure.ts';
import type { ResourceName } from '../objects/stored-object.ts';
import type { GatedRequest } from '../registry/served-resource.ts';
import type { DefinitionPace } from './definition-pace.ts';

/**
 * What stands before a custom resource that has only begun to be served, in this form. Its storage
 * is made by the first request: watches and lists have to wait for it, and nothing that happened
 * before can be watched. Creates wait until every server of the cluster knows the resource.
 */
export class ServingGate {
  readonly #cluster: Cluster;
  readonly #resource: ResourceName;
  readonly #pace: DefinitionPace;
  readonly #establishedMs: number;
  #readyMs: number | undefined;

  constructor(
    cluster: Cluster,
    resource: ResourceName,
    pace: DefinitionPace,
    establishedMs: number,
  ) {
    this.#cluster = cluster;
    this.#resource = resource;
    this.#pace = pace;
    this.#establishedMs = establishedMs;
  }

  async admit({ method, collection, signal }: GatedRequest): Promise<void> {
    const { clock, storage } = this.#cluster;
    if (this.#readyMs === undefined) {
      this.#readyMs = clock.now() + this.#pace.warmUpMs;
      storage.restartWindows(this.#resource);
    }
    if (method === 'GET' && collection && clock.now() < this.#readyMs) throw initializing();
    const { createHoldMs } = this.#pace;
    if (method !== 'POST' || clock.now() - this.#establishedMs >= createHoldMs) return;
    await sleep(clock, createHoldMs, signal);
  }
}

function initializing(): Error {
  return failure({
    code: 429,
    reason: 'TooManyRequests',
    message: 'storage is (re)initializing',
    details: { retryAfterSeconds: 1 },
  });
}
