import {
  type KubernetesObject,
  messageOf,
  type Resource,
  resourceName,
  type Source,
  splitKey,
} from 'chancery';
import type { Entry } from 'chancery/internal';
import {
  exponentialBackoff,
  type InformerHandle,
  isUnknownResource,
  type RunnableContext,
  sleep,
} from 'chancery/internal';
import type { Change } from 'chancery/low-level';
import type { KindResolver } from '../discovery/resolve-kind.ts';
import type { KubernetesBinding } from '../hook.ts';
import type {
  BindingEvent,
  BindingListener,
  BindingObject,
  BindingWatch,
} from './binding-watch.ts';
import { ObjectSet } from './object-set.ts';
import { type FilteredSource, namespacesOf, type WatchPlan } from './watch-plan.ts';

export interface WatchedBindingOptions {
  readonly binding: KubernetesBinding;
  readonly listener: BindingListener;
  readonly plan: WatchPlan;
  readonly kinds: KindResolver;
  readonly context: Pick<RunnableContext, 'open' | 'clock' | 'log'>;
  /** Called with the number of objects when it changes. */
  readonly counted: (objects: number) => void;
}

/**
 * Delay between two searches for a kind that is not served. Discovery of many groups needs many
 * requests.
 */
const KIND_AGAIN = { initialMs: 1_000, maxMs: 15_000 } as const;

/** The states of a source whose first list can be expected to complete soon. */
const UNDER_WAY: ReadonlySet<string> = new Set(['idle', 'listing', 'watching']);

interface Member {
  readonly filtered: FilteredSource;
  readonly handle: InformerHandle<KubernetesObject>;
}

/** The objects that a binding selects. The sources are opened once the kind is known. */
export class WatchedBinding implements BindingWatch {
  readonly #options: WatchedBindingOptions;
  readonly #stop = new AbortController();
  readonly #objects = new ObjectSet();
  readonly #members: Member[] = [];
  readonly #handles: {
    readonly resource: Resource;
    readonly informer: InformerHandle<KubernetesObject>['informer'];
  }[] = [];
  readonly #removes: (() => void)[] = [];
  /**
   * Number of steps that are still missing until the binding is synced: its kind is found, and each
   * first list is complete.
   */
  #pending = 1;
  #waitsForKind: string | undefined;
  /**
   * The namespaces that match the label selector of the binding. Undefined without a label
   * selector.
   */
  #matching: Set<string> | undefined;

  constructor(options: WatchedBindingOptions) {
    this.#options = options;
    const { binding, plan, kinds } = options;
    const namespaces = namespacesOf(binding);
    if (namespaces !== undefined) this.#openNamespaces(namespaces);
    const known = kinds.known(binding.kind, binding.apiVersion);
    if (known !== undefined) this.#openAll(plan, known);
    else void this.#resolve();
  }

  get synced(): boolean {
    return this.#pending === 0;
  }

  get waitsFor(): string | undefined {
    if (this.synced) return undefined;
    if (this.#waitsForKind !== undefined) return this.#waitsForKind;
    const late = this.#handles.find(
      ({ informer }) => !informer.synced && !UNDER_WAY.has(informer.state),
    );
    if (late === undefined) return undefined;
    const name = resourceName(late.resource);
    if (late.informer.state === 'unserved') return `waits for ${name}: it is not served`;
    return late.informer.state === 'forbidden' ? `may not list ${name}` : `cannot list ${name} yet`;
  }

  snapshot(): readonly BindingObject[] {
    return this.#objects.sorted();
  }

  close(): void {
    this.#stop.abort(new Error('the binding is not watched any more'));
    for (const remove of this.#removes) remove();
    for (const { handle } of this.#members) handle.release();
    this.#options.counted(0);
  }

  /** Retries until the API server serves the kind. */
  async #resolve(): Promise<void> {
    const { binding, context, kinds, plan } = this.#options;
    const { kind, apiVersion } = binding;
    const { signal } = this.#stop;
    const again = exponentialBackoff(KIND_AGAIN);
    try {
      for (;;) {
        const answer = await kinds.resolve(kind, apiVersion, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          this.#waitsForKind = isUnknownResource(error)
            ? `waits for the kind ${kind}`
            : `cannot find the kind ${kind}: ${messageOf(error)}`;
          return undefined;
        });
        signal.throwIfAborted();
        if (answer !== undefined) {
          this.#waitsForKind = undefined;
          this.#openAll(plan, answer);
          return;
        }
        await sleep(context.clock, again.nextMs(), signal);
      }
    } catch (error) {
      if (!signal.aborted) context.log.error({ err: error }, 'a binding cannot be watched');
    }
  }

  #openAll(plan: WatchPlan, resource: Resource): void {
    for (const filtered of plan.sourcesOf(this.#options.binding, resource)) {
      const handle = this.#options.context.open(filtered.source);
      const member = { filtered, handle };
      this.#members.push(member);
      this.#handle(resource, handle, (changes) => this.#take(member, changes));
    }
    this.#partIsSynced();
  }

  #openNamespaces(source: Source): void {
    this.#matching = new Set();
    const handle = this.#options.context.open(source);
    this.#removes.push(() => handle.release());
    this.#handle(source.resource, handle, (changes) => this.#namespacesChanged(changes));
  }

  #handle(
    resource: Resource,
    { informer }: InformerHandle<KubernetesObject>,
    handler: (changes: readonly Change[]) => void,
  ): void {
    this.#pending++;
    this.#handles.push({ resource, informer });
    const registration = informer.addHandler(handler, { onSynced: () => this.#partIsSynced() });
    this.#removes.push(() => registration.remove());
  }

  #partIsSynced(): void {
    this.#pending--;
    this.#options.counted(this.#objects.size);
    if (this.#pending === 0) this.#options.listener.synced();
  }

  #take(member: Member, changes: readonly Change[]): void {
    this.#tell(
      changes.flatMap((change) => {
        const { namespace } = splitKey(change.key);
        if (namespace !== undefined && this.#matching?.has(namespace) === false) return [];
        const object = this.#objectOf(member, change.entry);
        return (
          (change.type === 'delete'
            ? this.#objects.delete(change.key, object)
            : this.#objects.put(object)) ?? []
        );
      }),
    );
  }

  /** Adds and removes objects when their namespaces start or stop matching. */
  #namespacesChanged(changes: readonly Change[]): void {
    const matching = this.#matching ?? new Set();
    const began = new Set<string>();
    const ceased = new Set<string>();
    for (const { type, key } of changes) {
      if (type === 'delete') {
        if (!matching.delete(key) || began.delete(key)) continue;
        ceased.add(key);
      } else if (!matching.has(key)) {
        matching.add(key);
        if (!ceased.delete(key)) began.add(key);
      }
    }
    // All namespaces are handled at once, because at the start there may be thousands of namespaces
    // with objects in each.
    if (ceased.size > 0)
      this.#tell(this.#objects.keysIn(ceased).flatMap((key) => this.#objects.delete(key) ?? []));
    if (began.size > 0)
      this.#tell(this.#cachedIn(began).flatMap((object) => this.#objects.put(object) ?? []));
  }

  #cachedIn(namespaces: ReadonlySet<string>): readonly BindingObject[] {
    return this.#members.flatMap((member) =>
      Array.from(member.handle.informer.entries())
        .filter(({ key }) => namespaces.has(splitKey(key).namespace ?? ''))
        .map((entry) => this.#objectOf(member, entry)),
    );
  }

  #objectOf({ filtered }: Member, entry: Entry): BindingObject {
    const { jqFilter, keepsFullObjects } = this.#options.binding;
    const object = filtered.bindingObject(entry, jqFilter);
    return keepsFullObjects || object.objectText === undefined
      ? object
      : { ...object, objectText: undefined };
  }

  #tell(events: readonly BindingEvent[]): void {
    if (events.length === 0) return;
    this.#options.counted(this.#objects.size);
    if (this.synced) this.#options.listener.changed(events);
  }
}
