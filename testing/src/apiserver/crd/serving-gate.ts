import { sleep } from 'chancery/internal-objects';
import type { Cluster } from '../cluster/cluster.ts';
import type { ResourceName } from '../objects/stored-object.ts';
import type { GatedRequest } from '../registry/served-resource.ts';
import type { DefinitionPace } from './definition-pace.ts';

/**
 * What stands before a custom resource that has only begun to be served, in this form. The first request makes its
 * storage (`getOrCreateServingInfoFor` of pkg/apiserver/customresource_handler.go): watches, and lists that come from
 * the watch cache, are refused until that is filled, and nothing that happened before can be watched. A read of one
 * object never needs the cache. Creates wait until every server of the cluster knows the resource.
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
