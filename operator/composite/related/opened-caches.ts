import { SourceUnavailableError } from '../../controller/errors.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import { type Source, source } from '../../controller/source.ts';
import type { Enqueue } from '../../controller/trigger.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { namespaces } from '../../model/kubernetes/resources.ts';
import { type KubernetesObject, type ObjectKey, objectKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Change } from '../../store/change.ts';
import type { HandlerRegistration } from '../../store/handlers.ts';
import type { InformerHandle } from '../../store/namespaces-informer.ts';
import type { Store } from '../../store/store.ts';
import { type NamespaceLabels, relatedName } from './compiled-rule.ts';
import { noFirstList, type RelatedCaches } from './related-caches.ts';
import type { RulesOfParents } from './rules-of-parents.ts';
import { withRelatedIndexes } from './selected-objects.ts';

/** Opens a source; its cache is shared with equal sources. */
export type OpenSource = (source: Source) => InformerHandle<KubernetesObject>;

export interface OpenedCachesOptions {
  readonly open: OpenSource;
  readonly sourceOf: (resource: Resource) => Source;
  readonly rules: RulesOfParents;
}

/** A source that no rule names is released after twice this time at the latest. */
const LOOK_EVERY_MS = 5 * 60_000;

interface Opened {
  readonly resource: Resource;
  readonly source: Source;
  readonly handle: InformerHandle<KubernetesObject>;
  readonly registration: HandlerRegistration;
  /** Parents that need its first list. */
  readonly waiting: Set<ObjectKey>;
  /** No rule named it when it was last looked at. */
  isIdle: boolean;
}

const namespaceSource = source(namespaces, { metadataOnly: true });

/** Opens the source of a resource when a rule first names it, and releases it some time after no rule does. */
export class OpenedCaches implements RelatedCaches {
  readonly wiring: RelatedCaches['wiring'];
  readonly #options: OpenedCachesOptions;
  readonly #opened = new Map<string, Opened>();
  #enqueue: Enqueue | undefined;
  /** Keys that were woken before the trigger ran. */
  #early = new Set<ObjectKey>();
  /** A reconcile may end after its controller. What it opened then would never be released. */
  #hasEnded = false;

  constructor(options: OpenedCachesOptions) {
    this.#options = options;
    this.wiring = {
      triggers: [{ run: (enqueue, { clock, signal }) => this.#run(enqueue, clock, signal) }],
    };
  }

  storeOf(
    resource: Resource,
    parent: ObjectKey,
    _context: Pick<ReconcileContext, 'store'>,
  ): Store<KubernetesObject> {
    const name = relatedName(resource);
    const known = this.#opened.get(name);
    if (known === undefined && this.#hasEnded) throw noFirstList(resource);
    const opened = known ?? this.#open(name, resource);
    opened.isIdle = false;
    const { informer } = opened.handle;
    if (informer.synced) return informer.store;
    opened.waiting.add(parent);
    const { state } = informer;
    if (state === 'forbidden') throw new SourceUnavailableError(opened.source, 'Forbidden');
    if (state === 'unserved') throw new SourceUnavailableError(opened.source, 'NotServed');
    throw noFirstList(resource);
  }

  #open(name: string, resource: Resource): Opened {
    const isNamespaces = name === relatedName(namespaces);
    const wanted = isNamespaces ? namespaceSource : this.#options.sourceOf(resource);
    const handle = this.#options.open(withRelatedIndexes(wanted));
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
    const opened: Opened = {
      resource,
      source: wanted,
      handle,
      registration,
      waiting,
      isIdle: false,
    };
    this.#opened.set(name, opened);
    return opened;
  }

  /** Parents that read the first list waited for it, so it wakes nobody else. */
  #selecting(resource: Resource, changes: readonly Change[]): ReadonlySet<ObjectKey> {
    const found = new Set<ObjectKey>();
    for (const change of changes) {
      if (change.type === 'add' && change.initial) continue;
      if (change.type === 'update' && change.resync === true) continue;
      const states = change.type === 'update' ? [change.old, change.entry] : [change.entry];
      for (const state of states) {
        const parents = this.#options.rules.selecting(resource, state, this.#labelsOf);
        for (const parent of parents) found.add(parent);
      }
    }
    return found;
  }

  readonly #labelsOf: NamespaceLabels = (name) => {
    const informer = this.#opened.get(relatedName(namespaces))?.handle.informer;
    const entry = informer?.cached(objectKey(undefined, name));
    return entry === undefined ? undefined : (entry.keepMetadata().labels ?? {});
  };

  #wake(parents: ReadonlySet<ObjectKey>): void {
    if (parents.size === 0) return;
    if (this.#enqueue !== undefined) this.#enqueue(parents);
    else for (const parent of parents) this.#early.add(parent);
  }

  async #run(enqueue: Enqueue, clock: Clock, signal: AbortSignal): Promise<void> {
    this.#enqueue = enqueue;
    this.#hasEnded = false;
    enqueue(this.#early);
    this.#early = new Set();
    try {
      for (;;) {
        await sleep(clock, LOOK_EVERY_MS, signal);
        this.#releaseIdle();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#enqueue = undefined;
      this.#hasEnded = true;
      for (const name of this.#opened.keys()) this.#release(name);
      this.#options.rules.clear();
    }
  }

  #releaseIdle(): void {
    for (const [name, opened] of this.#opened) {
      if (opened.isIdle) this.#release(name);
      else opened.isIdle = !this.#isNamed(opened.resource);
    }
  }

  #isNamed(resource: Resource): boolean {
    const { rules } = this.#options;
    if (rules.names(resource)) return true;
    return relatedName(resource) === relatedName(namespaces) && rules.selectsNamespaces;
  }

  #release(name: string): void {
    const opened = this.#opened.get(name);
    this.#opened.delete(name);
    opened?.registration.remove();
    opened?.handle.release();
  }
}
