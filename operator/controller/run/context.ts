import type { Client, Target } from '../../client/client.ts';
import { intercept } from '../../client/client-of.ts';
import { abortWith } from '../../client/interceptors/abort-with.ts';
import { journalWrites } from '../../client/interceptors/journal-writes.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { type KubernetesObject, type ObjectKey, objectKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Store } from '../../store/store.ts';
import { AppliedMemory } from '../children/applied-memory.ts';
import type { Controller } from '../controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { ConsistencyWait } from '../policies/consistency-wait.ts';
import type { NameWaits } from '../policies/name-waits.ts';
import type { Log, ReconcileContext, Self } from '../reconciler.ts';
import { isSameResource, type Source, source } from '../source.ts';
import { contextMethods } from './context-methods.ts';
import { frozenStore } from './frozen-store.ts';
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
  /** An attempt of `key` has changed `object` on the server: see `objectName`. */
  readonly wrote: (key: ObjectKey, object: string) => void;
  /** Is told of the writes of each key. Only with `consistency: 'wait'`. */
  readonly consistencyWait?: ConsistencyWait | undefined;
  /** Is told when another object has the name of a child. */
  readonly nameWaits?: NameWaits;
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
    const { controller, clock, events, self, nameWaits } = this.#options;
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
        refused: (resource, child, by) => nameWaits?.refused(key, resource, child, by),
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
    const { client, consistencyWait, wrote } = this.#options;
    const observer: WriteObserver = {
      known: (resource, target) => this.#knownVersion(resource, target),
      wrote: (object) => wrote(key, object),
    };
    const wait =
      consistencyWait === undefined ? [] : [journalWrites(consistencyWait.journalOf(key))];
    return intercept(client, abortWith(signal), ...wait, observeWrites(observer));
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

  /** The resourceVersion of an object in the caches; undefined when none of them has the object. */
  #knownVersion(resource: Resource, { namespace, name }: Target): string | undefined {
    for (const each of this.#options.informers.keys()) {
      if (!isSameResource(each.resource, resource)) continue;
      const store = this.store(each);
      const known = store.synced ? store.get(objectKey(namespace, name)) : undefined;
      if (known !== undefined) return known.metadata.resourceVersion;
    }
    return undefined;
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
