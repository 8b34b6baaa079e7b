import type { Client } from '../client/client.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { resourceName } from '../model/resource.ts';
import type { SharedInformer } from '../store/shared-informer.ts';
import type { Store } from '../store/store.ts';
import type { Controller } from './controller.ts';
import type { EventRecorder } from './event-recorder.ts';
import { objectVerbs } from './object-verbs.ts';
import type { Log, ReconcileContext, Self } from './reconciler.ts';
import { type Source, source } from './source.ts';

/** What all attempts of one controller share. */
export interface ContextsOptions {
  readonly controller: Controller;
  /** The controller's own: its field manager, its fence. */
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly self: Self;
  /** Of every source that the controller declares; may be filled later. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
}

/** What one attempt is about. */
export interface AttemptFacts {
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

  constructor(options: ContextsOptions) {
    this.#options = options;
  }

  /**
   * The cache of one of the controller's own sources, as its reconciler sees it.
   *
   * @throws ConfigurationError `CONFIG` when the controller does not declare it.
   */
  store<T extends KubernetesObject>(of: Source<T>): Store<T> {
    const known = this.#stores.get(of) ?? this.#newStore(of);
    this.#stores.set(of, known);
    return known as unknown as Store<T>;
  }

  /** For one attempt, which ends with `facts.signal` at the latest. */
  of(facts: AttemptFacts): ReconcileContext {
    const { controller, clock, events, self } = this.#options;
    const { object, signal, log, attempt, priority } = facts;
    const client = this.#client(facts);
    return {
      ...objectVerbs({ controller, object, client, clock, events }),
      signal,
      log,
      attempt,
      priority,
      client,
      clock,
      events,
      self,
      store: (given) => this.store('resource' in given ? given : source(given)),
    };
  }

  /** The one place for layers around a cache: what the reconciler reads differs from what is cached. */
  #newStore(of: Source): Store<KubernetesObject> {
    const informer = this.#options.informers.get(of);
    if (informer === undefined) throw undeclared(this.#options.controller, of);
    return informer.store;
  }

  /** The one place for layers around the client: every call of an attempt comes through here. */
  #client(_facts: AttemptFacts): Client {
    return this.#options.client;
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
