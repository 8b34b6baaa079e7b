import { isDeepStrictEqual } from 'node:util';
import { objectKey } from 'chancery/internal-objects';
import type { Cluster } from '../cluster/cluster.ts';
import { runNow } from '../cluster/steps.ts';
import { withFields } from '../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';
import { internalWrite } from '../request/options.ts';
import type { StorageEvent } from '../storage/storage-event.ts';
import { updateObject } from '../verbs/writes/update.ts';
import { judgeNames } from './accepted-names.ts';
import { customResources } from './custom-resource.ts';
import { acceptedNamesOf, DEFINITIONS, specOf } from './definition.ts';
import { DefinitionCleanup } from './definition-cleanup.ts';
import { conditionOf, ESTABLISHED, isTrue, withConditions } from './definition-conditions.ts';
import type { DefinitionPace } from './definition-pace.ts';
import { ServingGate } from './serving-gate.ts';

/** How long the watches of a resource stay open after a change of its definition, in milliseconds. */
const WATCH_LINGER_MS = 1_000;

export interface DefinitionsOptions {
  readonly pace: DefinitionPace;
  /** Ends the open watches of a resource. */
  readonly closeWatches: (resource: ResourceName) => void;
}

/**
 * Manages the life of custom resources. First, a definition gets its names, is established, and its resource
 * is served. After a change of the definition, the resource is served according to the new definition. When
 * the definition is deleted, its objects are deleted too.
 */
export class Definitions {
  readonly #cluster: Cluster;
  readonly #pace: DefinitionPace;
  readonly #closeWatches: (resource: ResourceName) => void;
  readonly #cleanup: DefinitionCleanup;

  constructor(cluster: Cluster, { pace, closeWatches }: DefinitionsOptions) {
    this.#cluster = cluster;
    this.#pace = pace;
    this.#closeWatches = closeWatches;
    this.#cleanup = new DefinitionCleanup(cluster, pace);
  }

  /** @returns a function that ends the management of definitions. */
  start(): () => void {
    return this.#cluster.storage.subscribe((resource, event) => {
      if (resource === DEFINITIONS) this.#onDefinition(event);
      else if (event.type === 'DELETED') this.#cleanup.onInstanceGone(resource);
    });
  }

  #onDefinition({ type, object, previous }: StorageEvent): void {
    const { name } = object.metadata;
    if (type === 'DELETED') {
      this.#onDeleted(object);
      return;
    }
    const established = isTrue(object, 'Established');
    const wasEstablished = isTrue(previous, 'Established');
    if (established && (!wasEstablished || isServedOtherwise(object, previous))) {
      this.#serve(object, wasEstablished);
    }
    if (object.metadata.deletionTimestamp !== undefined) {
      if (previous?.metadata.deletionTimestamp === undefined) this.#cleanup.begin(name);
      return;
    }
    if (!isDeepStrictEqual(specOf(object).names, acceptedNamesOf(object))) {
      if (type === 'ADDED' || !isDeepStrictEqual(previous?.spec, object.spec)) {
        this.#after(this.#pace.namesMs, () => this.#judgeNames(name));
      }
    } else if (!established) this.#after(this.#pace.establishMs, () => this.#establish(name));
  }

  #onDeleted(definition: StoredObject): void {
    const { name } = definition.metadata;
    this.#cluster.registry.remove(name);
    this.#cluster.later(WATCH_LINGER_MS, () => this.#closeWatches(name));
    this.#judgeOthers(definition);
  }

  #serve(definition: StoredObject, again: boolean): void {
    const { name } = definition.metadata;
    const establishedAt = conditionOf(definition, 'Established')?.lastTransitionTime ?? '';
    const gate = new ServingGate(this.#cluster, name, this.#pace, Date.parse(establishedAt));
    this.#cluster.registry.set(name, customResources(definition, gate, this.#cluster.webhooks));
    if (again) this.#cluster.later(WATCH_LINGER_MS, () => this.#closeWatches(name));
  }

  #judgeNames(name: ResourceName): void {
    const definition = this.#definition(name);
    if (definition === undefined || definition.metadata.deletionTimestamp !== undefined) return;
    const verdict = judgeNames(definition, this.#othersOf(definition));
    if (verdict === undefined) return;
    const { names, namesAccepted, established } = verdict;
    this.#write(name, (live) => {
      const status = { ...(live.status as object), acceptedNames: names };
      const named = withFields(live, { status });
      return withConditions(named, [namesAccepted, established], this.#cluster.clock.now());
    });
    this.#judgeOthers(definition);
  }

  /**
   * Checks the names of the other definitions in the group again, because one of them may be waiting for a
   * name that is now free.
   */
  #judgeOthers(definition: StoredObject): void {
    for (const other of this.#othersOf(definition)) {
      if (conditionOf(other, 'NamesAccepted')?.status !== 'False') continue;
      this.#after(this.#pace.namesMs, () => this.#judgeNames(other.metadata.name));
    }
  }

  #establish(name: ResourceName): void {
    const definition = this.#definition(name);
    if (!isTrue(definition, 'NamesAccepted') || isTrue(definition, 'Established')) return;
    const nowMs = this.#cluster.clock.now();
    this.#write(name, (live) => withConditions(live, [ESTABLISHED], nowMs));
  }

  #write(name: ResourceName, change: (live: StoredObject) => StoredObject): void {
    const served = this.#cluster.registry.byName(DEFINITIONS);
    if (served === undefined) return;
    const target = { served, namespace: undefined, name };
    const options = internalWrite('kube-apiserver', 'status');
    runNow(updateObject(this.#cluster, target, (live) => ({ object: change(live) }), options));
  }

  #definition(name: ResourceName): StoredObject | undefined {
    return this.#cluster.storage.get(DEFINITIONS, objectKey(undefined, name));
  }

  #othersOf(definition: StoredObject): readonly StoredObject[] {
    const { group } = specOf(definition);
    return this.#cluster.storage
      .list(DEFINITIONS)
      .filter(
        (other) =>
          other.metadata.name !== definition.metadata.name && specOf(other).group === group,
      );
  }

  #after(delayMs: number, act: () => void): void {
    if (delayMs === 0) act();
    else this.#cluster.later(delayMs, act);
  }
}

/** Whether a change of a definition affects how its resource is served. */
function isServedOtherwise(object: StoredObject, previous: StoredObject | undefined): boolean {
  if (previous === undefined) return true;
  if (!isDeepStrictEqual(object.spec, previous.spec)) return true;
  if (!isDeepStrictEqual(acceptedNamesOf(object), acceptedNamesOf(previous))) return true;
  return isTrue(object, 'Terminating') !== isTrue(previous, 'Terminating');
}
