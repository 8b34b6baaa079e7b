import type { Condition } from '../../../model/condition.ts';
import { objectKey } from '../../../model/object.ts';
import type { Cluster } from '../cluster.ts';
import type { ResourceName, StoredObject } from '../cluster-access.ts';
import { DEFAULT_DELETION } from '../request/delete-options.ts';
import { internalWrite } from '../request/options.ts';
import type { StorageEvent } from '../storage/collection.ts';
import { deleteObject } from '../verbs/delete.ts';
import { updateObject } from '../verbs/update.ts';
import { customResources } from './custom-resource.ts';
import { specOf } from './definition.ts';
import {
  CLEANUP_FINALIZER,
  ESTABLISHED,
  NAMES_ACCEPTED,
  withCondition,
} from './definition-conditions.ts';

const DEFINITIONS: ResourceName = 'customresourcedefinitions.apiextensions.k8s.io';

/** Clients of a changed definition keep their watches for about this long. */
const WATCH_LINGER_MS = 1_000;

/**
 * The life of custom resources: a definition is accepted and served, a changed one served anew, and
 * a deleted one takes its objects with it.
 */
export class Definitions {
  readonly #cluster: Cluster;
  readonly #closeWatches: (resource: ResourceName) => void;

  constructor(cluster: Cluster, closeWatches: (resource: ResourceName) => void) {
    this.#cluster = cluster;
    this.#closeWatches = closeWatches;
  }

  /** @returns the end of it. */
  start(): () => void {
    return this.#cluster.storage.subscribe((resource, event) => {
      if (resource === DEFINITIONS) this.#onDefinition(event);
      else if (event.type === 'DELETED') this.#onInstanceGone(resource);
    });
  }

  #onDefinition({ type, object, previous }: StorageEvent): void {
    const { name } = object.metadata;
    if (type === 'DELETED') {
      this.#cluster.registry.remove(name);
      this.#cluster.later(WATCH_LINGER_MS, () => this.#closeWatches(name));
    } else if (object.metadata.deletionTimestamp !== undefined) {
      if (previous?.metadata.deletionTimestamp === undefined) this.#deleteInstances(name);
      this.#finish(name);
    } else if (type === 'ADDED' || object.metadata.generation !== previous?.metadata.generation) {
      this.#serve(object, type === 'MODIFIED');
    }
  }

  #serve(definition: StoredObject, changed: boolean): void {
    const { name } = definition.metadata;
    this.#cluster.registry.set(name, customResources(specOf(definition)));
    if (changed) this.#cluster.later(WATCH_LINGER_MS, () => this.#closeWatches(name));
    this.#setStatus(name, NAMES_ACCEPTED);
    this.#setStatus(name, ESTABLISHED);
  }

  #setStatus(name: string, condition: Omit<Condition, 'lastTransitionTime'>): void {
    const { clock, registry } = this.#cluster;
    const served = registry.byName(DEFINITIONS);
    if (served === undefined) return;
    updateObject(
      this.#cluster,
      { served, namespace: undefined, name },
      (live) => ({ object: withCondition(live, condition, clock.now()) }),
      internalWrite('kube-apiserver', 'status'),
    );
  }

  #deleteInstances(name: ResourceName): void {
    const { registry, storage } = this.#cluster;
    const served = registry.byName(name);
    if (served === undefined) return;
    for (const { metadata } of storage.list(name)) {
      const target = { served, namespace: metadata.namespace, name: metadata.name };
      deleteObject(this.#cluster, target, DEFAULT_DELETION);
    }
  }

  #onInstanceGone(resource: ResourceName): void {
    const definition = this.#cluster.storage.get(DEFINITIONS, objectKey(undefined, resource));
    if (definition?.metadata.deletionTimestamp !== undefined) this.#finish(resource);
  }

  /** Gives the definition up when none of its objects is left. */
  #finish(name: ResourceName): void {
    const { registry, storage } = this.#cluster;
    const served = registry.byName(DEFINITIONS);
    const live = storage.get(DEFINITIONS, objectKey(undefined, name));
    if (served === undefined || live === undefined || storage.list(name).length > 0) return;
    const finalizers = (live.metadata.finalizers ?? []).filter((one) => one !== CLEANUP_FINALIZER);
    updateObject(
      this.#cluster,
      { served, namespace: undefined, name },
      (object) => ({ object: { ...object, metadata: { ...object.metadata, finalizers } } }),
      internalWrite('kube-apiserver'),
    );
  }
}
