import type { Client } from '../../client/client.ts';
import { surround } from '../../client/client-of.ts';
import { abortWith } from '../../client/interceptors/abort-with.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigurationError, OperatorError } from '../../core/errors.ts';
import { type KubernetesObject, keyOf, type ObjectKey, objectKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { Change } from '../../store/change.ts';
import { deepFreeze } from '../../store/freeze.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Store } from '../../store/store.ts';
import { AppliedMemory } from '../children/applied-memory.ts';
import {
  applyOwned,
  deleteOwned,
  type EngineApplyOptions,
  type OwnerOfChildren,
} from '../children/apply-owned.ts';
import { ChildSelection, declaresChild } from '../children/child-selection.ts';
import { type Refused, withEngineParts } from '../children/engine-parts.ts';
import { statusWriter } from '../children/write-status.ts';
import type { Controller } from '../controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { AcceptedWrite, KeyGate } from '../policies/key-gate.ts';
import type { TakenNames } from '../policies/taken-names.ts';
import type { Log, ReconcileContext, Self } from '../reconciler.ts';
import { isSameResource, type Source, source } from '../source.ts';
import { failureOf } from './failure.ts';
import { observeWrites, type WriteObserver, type WrittenCall } from './observe-writes.ts';
import { type RefusedChildren, withRefusals } from './refused-children.ts';
import type { Shards, Term } from './term.ts';

/** What all attempts of one controller share. */
interface ContextsOptions {
  readonly controller: Controller;
  readonly clock: Clock;
  readonly self: Self;
  /** The informer of every source that the controller declares. The map can be filled later. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  /** Called with each write of an attempt of `key`. */
  readonly wrote: (key: ObjectKey, write: AcceptedWrite, call: WrittenCall) => void;
  /** Detects fights with other writers. */
  readonly gate?: Pick<KeyGate, 'asksForLive' | 'fightOf'>;
  /** Is notified when another object has the name of a child. */
  readonly takenNames?: TakenNames;
  /** The namespaces for sources with `namespace: 'configured'`. Default: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  /** Labels that the children of an object get in addition to the reconciler's labels. Default: none. */
  readonly childLabels?: Shards['childLabels'];
}

/** The facts about one attempt. */
interface AttemptFacts {
  readonly key: ObjectKey;
  /** The term of the attempt. The client of this term adds its writes to the journal. */
  readonly term: Term;
  /** The reconciled object, as it was in the cache when the attempt began. */
  readonly object: KubernetesObject | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly attempt: number;
  readonly priority: number;
  /** Records how the writes of children end, and which Warnings the reconciler records. */
  readonly refusedChildren: RefusedChildren;
}

/** Creates the context of each attempt, with stores that all attempts share. */
export class Contexts {
  readonly #options: ContextsOptions;
  readonly #stores = new Map<Source, Store<KubernetesObject>>();
  readonly #memory = new AppliedMemory();
  readonly #childSelection: ChildSelection;
  /** Names of the resources whose undeclared children were reported. */
  readonly #reported = new Set<string>();

  constructor(options: ContextsOptions) {
    this.#options = options;
    this.#childSelection = new ChildSelection(options.controller, options.namespaces);
  }

  /**
   * The cache of one of the controller's own sources, as its reconciler and its mappings see it.
   *
   * @throws ConfigurationError `CONFIG` when the controller does not declare the source.
   */
  store<T extends KubernetesObject>(asked: Source<T> | Resource<T>): Store<T> {
    const of = 'resource' in asked ? asked : this.#declared(asked);
    const known = this.#stores.get(of) ?? this.#newStore(of);
    this.#stores.set(of, known);
    return known as unknown as Store<T>;
  }

  /** The context of one attempt. Its calls abort with `facts.signal` or earlier. */
  of(facts: AttemptFacts): ReconcileContext {
    const { controller, clock, gate, self, takenNames } = this.#options;
    const { key, object, signal, log, attempt, priority, refusedChildren } = facts;
    const { events } = facts.term;
    const client = this.client(facts);
    const refused: Refused = (resource, child, by) => takenNames?.refused(key, resource, child, by);
    const context: ReconcileContext = {
      ...contextMethods({
        controller,
        object,
        client,
        clock,
        events,
        log,
        memory: this.#memory,
        childSelection: this.#childSelection,
        childLabels: this.#options.childLabels,
        store: (of) => this.store(of),
        refused,
        refusedChildren,
        signal,
        appliesChild: (resource) => this.#reportUndeclared(resource, log),
      }),
      key,
      signal,
      log,
      attempt,
      priority,
      client,
      clock,
      events,
      self,
      dryRun: false, // `chancery run --dry-run` replaces it
      store: (asked) => this.store(asked),
    };
    return withEngineParts(context, {
      memory: this.#memory,
      refused,
      fight: () => gate?.fightOf(key),
      isTold: (thrown) => refusedChildren.events(failureOf(thrown)).length > 0,
    });
  }

  /**
   * Makes the memory of applied objects forget each object that leaves the controller's caches. Call the
   * returned function to end this: caches are shared, and exist longer than a controller.
   */
  followCaches(): () => void {
    const { controller, informers } = this.#options;
    const forget = (changes: readonly Change[]): undefined => {
      for (const { type, entry } of changes) {
        if (type === 'delete') this.#memory.forget(entry.uid);
        else this.#memory.cached(entry.uid);
      }
    };
    const ends: (() => void)[] = [];
    for (const of of [controller.for, ...controller.owns.map((owned) => owned.source)]) {
      const informer = informers.get(of);
      if (informer === undefined) continue;
      this.#memory.follow(of.resource);
      ends.push(informer.follow({ publish: forget, synced() {} }), informer.onVanished(forget));
    }
    return () => {
      for (const end of ends) end();
    };
  }

  /**
   * The client of one attempt, also used to add its finalizer. Its calls abort with the attempt. All layers
   * around a call are in `client/around-calls.ts`; the layers that depend on the attempt are added here.
   */
  client(
    facts: Pick<AttemptFacts, 'key' | 'object' | 'refusedChildren' | 'signal' | 'term'>,
  ): Client {
    const { key, signal, term } = facts;
    const { controller, gate, wrote } = this.#options;
    const observer: WriteObserver = {
      asksForLive: (target) => gate?.asksForLive(target) === true,
      cached: (resource, namespace, name) => this.#cached(resource, objectKey(namespace, name)),
      wrote: (write, call) => wrote(key, write, call),
    };
    const observe = withRefusals(observeWrites(observer), controller, facts);
    return surround(term.client, { abort: abortWith(signal), observe });
  }

  /**
   * The declared source of a resource. If there are several: the first one with the default namespace and no
   * selectors, or else the first of all.
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

  /**
   * The cached objects under a key. Unreadable objects are omitted, because they are listed again
   * soon.
   */
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

  /**
   * Warns once per resource about an undeclared child: it can be written only until the operator runs with
   * the generated rights.
   */
  #reportUndeclared(resource: Resource, log: Log): void {
    const name = resourceName(resource);
    if (this.#reported.has(name) || declaresChild(this.#options.controller, resource)) return;
    this.#reported.add(name);
    const remedy =
      'add it to owns: no change of such a child wakes the controller, and the generated rights do not allow the write';
    log.warn(
      { resource: name, remedy },
      'applyOwned writes a resource that the controller does not declare',
    );
  }

  /**
   * A store over the cache of the source `of`. It includes this process's writes, and freezes the objects
   * that it returns.
   */
  #newStore(of: Source): Store<KubernetesObject> {
    const informer = this.#options.informers.get(of);
    const { controller } = this.#options;
    if (informer === undefined) throw undeclared(controller, of);
    // The writes are also added for `wait`: if the wait has timed out, they are newer than the cache.
    const isPlain = controller.consistency === 'none';
    return frozenStore(isPlain ? informer.store : informer.storeWithOwnWrites);
  }
}

function undeclared(
  { name, for: root, owns, watches, reads }: Controller,
  { resource }: Source,
): ConfigurationError {
  const declared = [root, ...[...owns, ...watches].map((each) => each.source), ...reads];
  const isKnown = declared.some((each) => isSameResource(each.resource, resource));
  const remedy = isKnown
    ? `pass the source that the controller declares, or the resource ${resource.plural}`
    : `add ${resource.plural} to reads`;
  return new ConfigurationError(
    `a reconciler reads a source that its controller does not declare: ${remedy}`,
    { context: { controller: name, resource: resourceName(resource) } },
  );
}

/**
 * Wraps `store` so that objects are frozen when they are returned. Code that changes such an object gets a
 * TypeError at that line; otherwise the cache would differ from the server. Only objects that a reconciler
 * reads are frozen, each once.
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

/** The array is not frozen: it is a snapshot that the reader may sort. */
function eachFrozen<T>(objects: readonly T[]): readonly T[] {
  for (const object of objects) deepFreeze(object);
  return objects;
}

interface ContextMethodsOptions {
  readonly controller: Controller;
  /** The reconciled object, as it was in the cache when the attempt began. */
  readonly object: KubernetesObject | undefined;
  /** The client of the attempt. */
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly log: Log;
  /** Shared by all attempts of the controller. */
  readonly memory: AppliedMemory;
  readonly childSelection: ChildSelection;
  readonly childLabels: Shards['childLabels'];
  /** Returns the cache of a source, as the reconciler sees it. */
  readonly store: (source: Source) => Store<KubernetesObject>;
  /** Called when another object prevents a child from being created or changed. */
  readonly refused: Refused;
  readonly refusedChildren: RefusedChildren;
  /** Aborts with the attempt. A failure after that does not mean that a child is wrong. */
  readonly signal: AbortSignal;
  /** Called with the resource of each child that the reconciler applies. */
  readonly appliesChild: (resource: Resource) => void;
}

/** The methods of a `ReconcileContext` that act for the reconciled object. */
function contextMethods(
  options: ContextMethodsOptions,
): Pick<ReconcileContext, 'applyOwned' | 'deleteOwned' | 'setStatus' | 'event'> {
  const { controller, object, client, clock, events, log, memory, store } = options;
  const { resource } = controller.for;
  const reconciled = (verb: string): KubernetesObject => {
    if (object !== undefined) return object;
    throw new OperatorError(`${verb} needs the reconciled object, and it is gone`, {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { controller: controller.name },
    });
  };
  /** Created once per attempt, because the function remembers the status that it wrote last. */
  let writeStatus: ReturnType<typeof statusWriter> | undefined;
  return {
    applyOwned: applyingOwned(options, reconciled),
    async deleteOwned(childResource, child, how) {
      const of = {
        owner: reconciled('deleteOwned'),
        client,
        known: knownChild(controller, client, store),
      };
      return deleteOwned(of, childResource, child, how);
    },
    async setStatus(status) {
      const object = reconciled('setStatus');
      const fieldManager = controller.name;
      const warn = (message: string): void =>
        log.warn({ resource: resourceName(resource) }, message);
      const parts = { resource, client, clock, memory, fieldManager, warn };
      writeStatus ??= statusWriter({ ...parts, object });
      return writeStatus(status);
    },
    event(type, reason, note, action = 'Reconcile') {
      events.record({ regarding: reconciled('event'), type, reason, action, note });
      if (type === 'Warning') options.refusedChildren.warned(reason, note);
    },
  };
}

/**
 * `applyOwned` for the reconciled object. Refusals are recorded, so that an Event about the object can report
 * them.
 */
function applyingOwned(
  { controller, client, memory, childSelection, store, refused, ...rest }: ContextMethodsOptions,
  reconciled: (verb: string) => KubernetesObject,
): ReconcileContext['applyOwned'] {
  return async (resource, child, how?: EngineApplyOptions) => {
    const owner = reconciled('applyOwned');
    if (how?.observed === undefined) rest.appliesChild(resource);
    const known = knownChild(controller, client, store);
    const writer = { client, fieldManager: controller.name, memory };
    const childLabels = rest.childLabels?.(owner);
    const { resource: ownerResource } = controller.for;
    const of = { owner, ownerResource, ...writer, known, refused, childLabels };
    if (how?.dryRun === true) return applyOwned(of, resource, child, how);
    const { namespace = owner.metadata.namespace, name } = child.metadata;
    const write = () =>
      childSelection.around(resource, (requireSelected) =>
        applyOwned({ ...of, requireSelected }, resource, child, how),
      );
    if (how?.observed) return write(); // the engine reports what it could not change
    return rest.refusedChildren.observe({ resource, namespace, name }, write, rest.signal);
  };
}

/**
 * Reads a child from the caches of the controller's `owns`. If no cache has whole objects of the child's
 * resource, reads it live.
 */
function knownChild(
  { owns }: Controller,
  client: Client,
  store: ContextMethodsOptions['store'],
): OwnerOfChildren['known'] {
  return async <C extends KubernetesObject>(resource: Resource<C>, child: KubernetesObject) => {
    const caches = owns
      .map(({ source }) => source)
      .filter((source) => isSameResource(source.resource, resource) && !source.metadataOnly)
      .map(store)
      .filter(({ synced }) => synced);
    const { name, namespace } = child.metadata;
    if (caches.length === 0) return client.find(resource, { name, namespace });
    const cached = caches.map((cache) => cache.get(keyOf(child)));
    return cached.find((found) => found !== undefined) as C | undefined;
  };
}
