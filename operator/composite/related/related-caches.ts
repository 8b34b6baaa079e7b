import type { ControllerOptions } from '../../controller/controller.ts';
import { NotReadyError, SourceUnavailableError } from '../../controller/errors.ts';
import { enqueueMapped } from '../../controller/mapping.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import { type Source, source } from '../../controller/source.ts';
import type { Enqueue } from '../../controller/trigger.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import { namespaces } from '../../model/kubernetes/resources.ts';
import { type KubernetesObject, keyOf, type ObjectKey } from '../../model/object.ts';
import { apiVersionOf, type Resource, resourceName } from '../../model/resource.ts';
import type { Change } from '../../store/change.ts';
import type { HandlerRegistration } from '../../store/handlers.ts';
import type { InformerHandle } from '../../store/namespaces-informer.ts';
import type { Store } from '../../store/store.ts';
import { type NamespaceLabels, relatedName, withRelatedIndexes } from './compiled-rule.ts';
import type { RulesOfParents } from './rules-of-parents.ts';

/**
 * `declared`: the sources of all resources that a rule may contain. They are sources of the controller.
 * `open`: opens the source of a resource when a rule first contains the resource.
 */
export type RelatedSources =
  | { readonly declared: readonly Source[] }
  | {
      /** Opens a source; its cache is shared with equal sources. */
      readonly open: (source: Source) => InformerHandle<KubernetesObject>;
      /** Returns the source of a resource. Default: the result of `source(resource)`. */
      readonly sourceOf?: (resource: Resource) => Source;
    };

interface RelatedCachesOptions {
  /** Name of the controller, for messages. */
  readonly controller: string;
  readonly sources: RelatedSources;
  readonly rules: RulesOfParents;
}

/**
 * Milliseconds between two checks. An opened source is released when no rule contains its resource in two
 * checks in a row.
 */
const LOOK_EVERY_MS = 5 * 60_000;

interface Opened {
  readonly resource: Resource;
  readonly source: Source;
  readonly handle: InformerHandle<KubernetesObject>;
  readonly registration: HandlerRegistration;
  /** Parents that are waiting for the first list. */
  readonly waiting: Set<ObjectKey>;
  /** True if no rule contained the resource at the last check. */
  isIdle: boolean;
}

type StoreOf = ReconcileContext['store'];

const namespaceSource = source(namespaces, { metadataOnly: true });

/**
 * The caches from which related objects are read, and the way in which their changes reach the parents.
 * Declared sources exist while the controller runs. Other sources are opened when a rule first contains their
 * resource, and released some time after the last such rule is gone.
 */
export class RelatedCaches {
  /** Options of the controller that make changes of related objects reach their parents. */
  readonly wiring: Pick<ControllerOptions<KubernetesObject>, 'watches' | 'triggers'>;
  readonly #options: RelatedCachesOptions;
  /** The declared sources, by the name of their resource. If undefined, sources are opened on demand. */
  readonly #declared: ReadonlyMap<string, Source> | undefined;
  readonly #opened = new Map<string, Opened>();
  /**
   * Undefined while the controller is not running. A source that a late reconcile opened at that time would
   * never be released.
   */
  #enqueue: Enqueue | undefined;

  constructor(options: RelatedCachesOptions) {
    const { sources, rules } = options;
    const declared = 'declared' in sources ? sources.declared.map(withRelatedIndexes) : undefined;
    this.#options = options;
    this.#declared =
      declared && new Map(declared.map((each) => [relatedName(each.resource), each]));
    this.wiring = {
      watches: (declared ?? []).map((each) =>
        enqueueMapped(each, (object, { store }) => {
          const entry = { key: keyOf(object), metadata: object.metadata };
          return rules.selecting(each.resource, entry, this.#labelsIn(store));
        }),
      ),
      triggers: [{ run: (enqueue, { clock, signal }) => this.#run(enqueue, clock, signal) }],
    };
  }

  /**
   * The cache of a resource that a rule of the parent contains.
   *
   * @throws NotReadyError while the cache has no first list; the parent is enqueued when the list has
   *   arrived.
   * @throws SourceUnavailableError while the API server refuses or does not serve the resource.
   * @throws OperatorError `USER_CODE` when the resource was not declared.
   */
  storeOf(
    resource: Resource,
    parent: ObjectKey,
    { store }: Pick<ReconcileContext, 'store'>,
  ): Store<KubernetesObject> {
    if (this.#declared === undefined) return this.#openedStore(resource, parent);
    const known = this.#declared.get(relatedName(resource));
    if (known !== undefined) {
      const found = store(known);
      if (found.synced) return found;
      throw noFirstList(resource); // an optional source
    }
    throw new OperatorError('a rule names a resource that is none of the related ones', {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { controller: this.#options.controller, resource: resourceName(resource) },
    });
  }

  #openedStore(resource: Resource, parent: ObjectKey): Store<KubernetesObject> {
    const name = relatedName(resource);
    const known = this.#opened.get(name);
    if (this.#enqueue === undefined) throw noFirstList(resource);
    const opened = known ?? this.#open(name, resource);
    opened.isIdle = false;
    const { state, store, synced } = opened.handle.informer;
    if (synced) return store;
    opened.waiting.add(parent);
    if (state === 'forbidden') throw new SourceUnavailableError(opened.source, 'Forbidden');
    if (state === 'unserved') throw new SourceUnavailableError(opened.source, 'NotServed');
    throw noFirstList(resource);
  }

  #open(name: string, resource: Resource): Opened {
    const { sources } = this.#options;
    if ('declared' in sources) throw noFirstList(resource);
    const isNamespaces = name === relatedName(namespaces);
    const sourceOf = sources.sourceOf ?? ((of: Resource) => source(of));
    const wanted = isNamespaces ? namespaceSource : sourceOf(resource);
    const handle = sources.open(withRelatedIndexes(wanted));
    const waiting = new Set<ObjectKey>();
    const registration = handle.informer.addHandler(
      (changes) => this.#wake(this.#selecting(resource, changes)),
      {
        onSynced: () => {
          this.#wake(waiting);
          waiting.clear();
        },
      },
    );
    const opened = { resource, source: wanted, handle, registration, waiting, isIdle: false };
    this.#opened.set(name, opened);
    return opened;
  }

  /** The first list enqueues only the parents that were waiting for it. */
  #selecting(resource: Resource, changes: readonly Change[]): ReadonlySet<ObjectKey> {
    const { rules } = this.#options;
    const labelsOf = this.#labelsIn(undefined);
    const changed = changes.filter((change) =>
      change.type === 'add' ? !change.initial : change.type !== 'update' || change.resync !== true,
    );
    const states = changed.flatMap((change) =>
      change.type === 'update' ? [change.old, change.entry] : [change.entry],
    );
    return new Set(states.flatMap((state) => [...rules.selecting(resource, state, labelsOf)]));
  }

  /** Returns the labels of namespaces from a cache. @param storeOf - used for declared sources. */
  #labelsIn(storeOf: StoreOf | undefined): NamespaceLabels {
    const name = relatedName(namespaces);
    const declared = this.#declared?.get(name);
    return (namespace) => {
      const opened = this.#opened.get(name)?.handle.informer.store;
      const store = declared === undefined ? opened : storeOf?.(declared);
      const found = store?.synced === true ? store.get({ name: namespace }) : undefined;
      return found && (found.metadata.labels ?? {});
    };
  }

  #wake(parents: ReadonlySet<ObjectKey>): void {
    if (parents.size > 0) this.#enqueue?.(parents);
  }

  async #run(enqueue: Enqueue, clock: Clock, signal: AbortSignal): Promise<void> {
    this.#enqueue = enqueue;
    try {
      for (;;) {
        await sleep(clock, LOOK_EVERY_MS, signal);
        this.#releaseIdle();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#enqueue = undefined;
      for (const name of this.#opened.keys()) this.#release(name);
      // Parents may be created and deleted unnoticed before the controller runs again.
      this.#options.rules.clear();
    }
  }

  #releaseIdle(): void {
    for (const [name, opened] of this.#opened) {
      if (opened.isIdle) this.#release(name);
      else opened.isIdle = !this.#options.rules.names(opened.resource);
    }
  }

  #release(name: string): void {
    const opened = this.#opened.get(name);
    this.#opened.delete(name);
    opened?.registration.remove();
    opened?.handle.release();
  }
}

/** The error while the cache of a resource is still being filled. */
export function noFirstList(resource: Resource): NotReadyError {
  const name = resourceName(resource);
  return new NotReadyError(`the cache of ${name} has no first list yet`, {
    context: { resource: name, apiVersion: apiVersionOf(resource) },
  });
}
