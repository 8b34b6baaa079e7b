import { sleep } from 'chancery/internal-objects';
import type { Cluster } from '../cluster/cluster.ts';
import type { ResourceName } from '../objects/stored-object.ts';
import type { GatedRequest } from '../registry/served-resource.ts';
import type { DefinitionPace } from './definition-pace.ts';

/**
 * Delays requests for a custom resource that the server has just begun to serve, or whose definition has
 * changed. The first request creates the storage of the resource (`getOrCreateServingInfoFor` of
 * pkg/apiserver/customresource_handler.go). Until the watch cache is filled, watches and lists from the cache
 * are refused, and earlier events cannot be watched. A read of one object never needs the cache. Creates wait
 * until every server of the cluster knows the resource.
 */
export class ServingGate {
  readonly #cluster: Cluster;
  readonly #resource: ResourceName;
  readonly #pace: DefinitionPace;
  readonly #establishedMs: number;
  #isMade = false;

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

  async admit({ method, signal }: GatedRequest): Promise<void> {
    const { clock, watchCache } = this.#cluster;
    if (!this.#isMade) watchCache.reinitialize(this.#resource, this.#pace.warmUpMs);
    this.#isMade = true;
    const { createHoldMs } = this.#pace;
    if (method !== 'POST' || clock.now() - this.#establishedMs >= createHoldMs) return;
    await sleep(clock, createHoldMs, signal);
  }
}
