import { objectKey } from 'chancery/internal-objects';
import type { Cluster } from '../cluster/cluster.ts';
import { runNow } from '../cluster/steps.ts';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';
import { DEFAULT_DELETION } from '../request/delete-options.ts';
import { internalWrite } from '../request/options.ts';
import { deleteObject } from '../verbs/deletes/delete.ts';
import { updateObject } from '../verbs/writes/update.ts';
import { DEFINITIONS } from './definition.ts';
import {
  CLEANUP_FINALIZER,
  DELETING_INSTANCES,
  isTrue,
  withConditions,
} from './definition-conditions.ts';
import type { DefinitionPace } from './definition-pace.ts';

/** Deletes the custom objects of a definition that is being deleted, and then removes the definition. */
export class DefinitionCleanup {
  readonly #cluster: Cluster;
  readonly #pace: DefinitionPace;
  /** Definitions whose objects are being deleted. */
  readonly #waiting = new Set<ResourceName>();

  constructor(cluster: Cluster, pace: DefinitionPace) {
    this.#cluster = cluster;
    this.#pace = pace;
  }

  begin(name: ResourceName): void {
    const start = (): void => this.#start(name);
    if (this.#pace.cleanupMs === 0) start();
    else this.#cluster.later(this.#pace.cleanupMs, start);
  }

  /**
   * Call this after the removal of a custom object. It may have been the last object of a definition that is
   * being deleted.
   */
  onInstanceGone(resource: ResourceName): void {
    if (this.#pace.cleanupPollMs === 0 && this.#waiting.has(resource)) this.#finish(resource);
  }

  #start(name: ResourceName): void {
    const definition = this.#definition(name);
    if (definition?.metadata.finalizers?.includes(CLEANUP_FINALIZER) !== true) return;
    const nowMs = this.#cluster.clock.now();
    this.#write(name, 'status', (live) => withConditions(live, [DELETING_INSTANCES], nowMs));
    if (isTrue(definition, 'Established')) this.#deleteInstances(name);
    this.#waiting.add(name);
    this.#finish(name);
  }

  #deleteInstances(name: ResourceName): void {
    const { registry, storage } = this.#cluster;
    const served = registry.byName(name);
    if (served === undefined) return;
    for (const { metadata } of storage.list(name)) {
      const target = { served, namespace: metadata.namespace, name: metadata.name };
      if (storage.get(name, objectKey(metadata.namespace, metadata.name)) === undefined) continue;
      runNow(deleteObject(this.#cluster, target, DEFAULT_DELETION));
    }
  }

  /**
   * Removes the finalizer of the definition when no objects of it are left. Otherwise checks again later.
   */
  #finish(name: ResourceName): void {
    if (!this.#waiting.has(name)) return;
    if (this.#definition(name) === undefined) {
      this.#waiting.delete(name);
      return;
    }
    if (this.#cluster.storage.list(name).length > 0) {
      const { cleanupPollMs } = this.#pace;
      if (cleanupPollMs > 0) this.#cluster.later(cleanupPollMs, () => this.#finish(name));
      return;
    }
    this.#waiting.delete(name);
    this.#write(name, undefined, (live) => {
      const finalizers = (live.metadata.finalizers ?? []).filter(
        (one) => one !== CLEANUP_FINALIZER,
      );
      return { ...live, metadata: { ...live.metadata, finalizers } };
    });
  }

  #definition(name: ResourceName): StoredObject | undefined {
    return this.#cluster.storage.get(DEFINITIONS, objectKey(undefined, name));
  }

  #write(
    name: ResourceName,
    subresource: 'status' | undefined,
    change: (live: StoredObject) => StoredObject,
  ): void {
    const served = this.#cluster.registry.byName(DEFINITIONS);
    if (served === undefined) return;
    const target = { served, namespace: undefined, name };
    const options = internalWrite('kube-apiserver', subresource);
    runNow(updateObject(this.#cluster, target, (live) => ({ object: change(live) }), options));
  }
}
