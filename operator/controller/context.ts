import type { Client, Target } from '../client/client.ts';
import { recordingClient, type WriteJournal } from '../client/recording-client.ts';
import { signalledClient } from '../client/signalled-client.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type KubernetesObject, type ObjectKey, objectKey } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import type { SharedInformer } from '../store/shared-informer.ts';
import type { Store } from '../store/store.ts';
import { AppliedMemory } from './applied-memory.ts';
import type { ConsistencyWait } from './consistency-wait.ts';
import type { Controller } from './controller.ts';
import type { EventRecorder } from './event-recorder.ts';
import { frozenStore } from './frozen-store.ts';
import type { NameWaits } from './name-waits.ts';
import { objectVerbs } from './object-verbs.ts';
import { observedClient } from './observed-client.ts';
import type { Log, ReconcileContext, Self } from './reconciler.ts';
import { isSameResource, type Source, source } from './source.ts';

/** What all attempts of one controller share. */
interface ContextsOptions {
  readonly controller: Controller;
  /** The controller's own: its field manager, its fence. */
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly self: Self;
  /** Of every source that the controller declares; may be filled later. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  /** An attempt of `key` has changed `object` on the server: see `objectName`. */
  readonly wrote: (key: ObjectKey, object: string) => void;
  /** Told of every write, so that the stores of the process show it. Default: nobody is. */
  readonly journal?: WriteJournal;
  /** With `consistency: 'wait'`: told of the writes of each key. */
  readonly consistencyWait?: ConsistencyWait | undefined;
  /** Told whenever a key could not have the name of a child. */
  readonly nameWaits?: NameWaits;
}

/** What one attempt is about. */
interface AttemptFacts {
  readonly key: ObjectKey;
  /** As the cache had it when the attempt began. */
  readonly object: KubernetesObject | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly attempt: number;
  readonly priority: number;
}

/** Builds what a reconciler is given: for each attempt a context, over stores that all share. */
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

  /** For one attempt, which ends with `facts.signal` at the latest. */
  of(facts: AttemptFacts): ReconcileContext {
    const { controller, clock, events, self, nameWaits } = this.#options;
    const { key, object, signal, log, attempt, priority } = facts;
    const client = this.client(facts);
    return {
      ...objectVerbs({
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
   * What an attempt writes through, a finalizer included; its calls end with the attempt. The one place
   * for layers around the client, the innermost first.
   */
  client({ key, signal }: Pick<AttemptFacts, 'key' | 'signal'>): Client {
    const { client, consistencyWait, journal, wrote } = this.#options;
    const observed = observedClient(client, {
      known: (resource, target) => this.#knownVersion(resource, target),
      wrote: (object) => wrote(key, object),
    });
    // What compares an answer with what is known comes before what makes it known.
    const recorded = [journal, consistencyWait?.journalOf(key)]
      .filter((each) => each !== undefined)
      .reduce(recordingClient, observed);
    return signalledClient(recorded, signal);
  }

  /**
   * A resource stands for the source that has it. Among several it is the one with the defaults of
   * `source`; without that the first.
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

  /** By the caches; undefined for what none of them has. */
  #knownVersion(resource: Resource, { namespace, name }: Target): string | undefined {
    for (const each of this.#options.informers.keys()) {
      if (!isSameResource(each.resource, resource)) continue;
      const store = this.store(each);
      const known = store.synced ? store.get(objectKey(namespace, name)) : undefined;
      if (known !== undefined) return known.metadata.resourceVersion;
    }
    return undefined;
  }

  /**
   * The one place for layers around a cache, where what the reconciler reads differs from what is
   * cached. The outermost freezes.
   */
  #newStore(of: Source): Store<KubernetesObject> {
    const informer = this.#options.informers.get(of);
    const { controller } = this.#options;
    if (informer === undefined) throw undeclared(controller, of);
    // After a wait that was in vain, what was written is the one thing that is known to be newer.
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
