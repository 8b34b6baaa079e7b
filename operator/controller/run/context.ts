import type { Client } from '../../client/client.ts';
import { intercept } from '../../client/client-of.ts';
import { abortWith } from '../../client/interceptors/abort-with.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigurationError, OperatorError } from '../../core/errors.ts';
import { type KubernetesObject, type ObjectKey, objectKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { deepFreeze } from '../../store/freeze.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Store } from '../../store/store.ts';
import { AppliedMemory } from '../children/applied-memory.ts';
import type { Controller } from '../controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { AcceptedWrite } from '../policies/key-policy.ts';
import type { TakenNames } from '../policies/taken-names.ts';
import type { Log, ReconcileContext, Self } from '../reconciler.ts';
import { isSameResource, type Source, source } from '../source.ts';
import { contextMethods } from './context-methods.ts';
import { observeWrites, type WriteObserver } from './observe-writes.ts';

/** The parts that all attempts of one controller share. */
interface ContextsOptions {
  readonly controller: Controller;
  /** The controller's own: it has the controller's field manager and fence, and is journalled. */
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly self: Self;
  /** The informer of every source that the controller declares. It can be filled later. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  /** Called with each write of an attempt of `key`. */
  readonly wrote: (key: ObjectKey, write: AcceptedWrite) => void;
  /** Learns when another object has the name of a child. */
  readonly takenNames?: TakenNames;
}

/** The parts that belong to one attempt. */
interface AttemptFacts {
  readonly key: ObjectKey;
  /** The reconciled object, as the cache had it when the attempt began. */
  readonly object: KubernetesObject | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly attempt: number;
  readonly priority: number;
}

/** Builds the context of each attempt, over stores that all attempts share. */
export class Contexts {
  readonly #options: ContextsOptions;
  readonly #stores = new Map<Source, Store<KubernetesObject>>();
  readonly #memory = new AppliedMemory();

  constructor(options: ContextsOptions) {
    this.#options = options;
  }

  /**
   * The cache of one of the controller's own sources, as its reconciler sees it, and its mappings.
   *
   * @throws ConfigurationError `CONFIG` when the controller does not declare it.
   */
  store<T extends KubernetesObject>(given: Source<T> | Resource<T>): Store<T> {
    const of = 'resource' in given ? given : this.#declared(given);
    const known = this.#stores.get(of) ?? this.#newStore(of);
    this.#stores.set(of, known);
    return known as unknown as Store<T>;
  }

  /** The context of one attempt, which ends with `facts.signal` at the latest. */
  of(facts: AttemptFacts): ReconcileContext {
    const { controller, clock, events, self, takenNames } = this.#options;
    const { key, object, signal, log, attempt, priority } = facts;
    const client = this.client(facts);
    return {
      ...contextMethods({
        controller,
        object,
        client,
        clock,
        events,
        memory: this.#memory,
        store: (of) => this.store(of),
        refused: (resource, child, by) => takenNames?.refused(key, resource, child, by),
      }),
      signal,
      log,
      attempt,
      priority,
      client,
      clock,
      events,
      self,
      store: (given) => this.store(given),
    };
  }

  /**
   * The client of one attempt, for its finalizer, too. Its calls end with the attempt. This is the one
   * place for interceptors that depend on the attempt; `runner.ts`, `manager/controller-host.ts` and
   * `client/connection.ts` add those that do not.
   */
  client({ key, signal }: Pick<AttemptFacts, 'key' | 'signal'>): Client {
    const { client, wrote } = this.#options;
    const observer: WriteObserver = {
      cached: (resource, namespace, name) => this.#cached(resource, objectKey(namespace, name)),
      wrote: (write) => wrote(key, write),
    };
    return intercept(client, abortWith(signal), observeWrites(observer));
  }

  /**
   * The declared source of a resource. Among several sources it is the one with the defaults of `source`;
   * without such a one it is the first.
   */
  #declared<T extends KubernetesObject>(resource: Resource<T>): Source<T> {
    const sources = [...this.#options.informers.keys()].filter((each) =>
      isSameResource(each.resource, resource),
    );
    const plain = sources.find(
      (each) =>
        each.namespace === 'configured' &&
        each.labelSelector === undefined &&
        each.fieldSelector === undefined,
    );
    return (plain ?? sources[0] ?? source(resource)) as unknown as Source<T>;
  }

  /** What the caches have under a key. An object that cannot be read is listed again soon: it is left out. */
  #cached(resource: Resource, key: ObjectKey): KubernetesObject[] {
    const found: KubernetesObject[] = [];
    for (const each of this.#options.informers.keys()) {
      if (!isSameResource(each.resource, resource)) continue;
      const store = this.store(each);
      try {
        const known = store.synced ? store.get(key) : undefined;
        if (known !== undefined) found.push(known);
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
      }
    }
    return found;
  }

  /** This is the one place for layers around a cache: own writes, and outermost the freezing. */
  #newStore(of: Source): Store<KubernetesObject> {
    const informer = this.#options.informers.get(of);
    const { controller } = this.#options;
    if (informer === undefined) throw undeclared(controller, of);
    // With `wait`, too: if the wait ended without the change, own writes are newer than the cache.
    const isPlain = controller.consistency === 'none';
    return frozenStore(isPlain ? informer.store : informer.storeWithOwnWrites);
  }
}

function undeclared(controller: Controller, { resource }: Source): ConfigurationError {
  return new ConfigurationError(
    'a reconciler reads a source that its controller does not declare',
    {
      context: { controller: controller.name, resource: resourceName(resource) },
    },
  );
}

/**
 * `store`, whose objects are frozen when they are handed out: who changes one gets a TypeError at the
 * place that does it, instead of a cache that differs from the server. Each object is frozen once, so
 * that only those that a reconciler looks at cost anything.
 */
export function frozenStore<T extends KubernetesObject>(store: Store<T>): Store<T> {
  return {
    get synced() {
      return store.synced;
    },
    get(key, options) {
      const object = store.get(key, options);
      if (options?.copy !== true) deepFreeze(object);
      return object;
    },
    list: (query) => eachFrozen(store.list(query)),
    byIndex: (name, value) => eachFrozen(store.byIndex(name, value)),
  };
}

/** Not the array: it is a snapshot, which its reader may sort. */
function eachFrozen<T>(objects: readonly T[]): readonly T[] {
  for (const object of objects) deepFreeze(object);
  return objects;
}
