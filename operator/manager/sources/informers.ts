import { prepared, transformed } from '../../client/source.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { CrdWait } from '../../controller/run/settled-sources.ts';
import type { Source } from '../../controller/source.ts';
import { abortable, aborted, linkedAbort, NEVER_ABORTED } from '../../core/abort.ts';
import { sleep } from '../../core/clock.ts';
import { type Labels, type Meter, noMeter } from '../../core/metrics.ts';
import { dropManagedFields } from '../../model/entry.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { cachedForm } from '../../store/cached-form.ts';
import { ensureIndex } from '../../store/indices.ts';
import { Informer, type InformerObserver } from '../../store/informer.ts';
import type { InformerHandle } from '../../store/namespaces-informer.ts';
import { NamespacesInformer } from '../../store/namespaces-informer.ts';
import { OwnWritesJournal } from '../../store/own-writes.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import { DiscoveryPoll } from '../../watch/discovery-poll.ts';
import type { ListWatch } from '../../watch/list-watch.ts';
import { ListLimiter } from '../../watch/policy/list-limiter.ts';
import type { ReflectorOptions } from '../../watch/reflector-options.ts';
import type { NeededSource } from '../http/health-checks.ts';
import type { ProcessObserver } from '../observe/process-observer.ts';
import { CacheGauges } from './cache-gauges.ts';
import { OwnSlots, type SlottedSource } from './own-slots.ts';
import {
  type Scope,
  type ScopeActivity,
  ScopeIdentities,
  type ShardableSource,
  scopeFacts,
  scopeLabels,
  scopeOf,
} from './scope.ts';
import { sourceAdvice } from './source-advice.ts';
import { logNotice, shardingLog, statusLog, transformLog } from './status-log.ts';

export type { Scope } from './scope.ts';

export interface InformersOptions {
  /** The namespaces for sources with `namespace: 'configured'`; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  readonly reflector: ReflectorOptions;
  readonly log: Log;
  /** The address of the ambassador, which explanations mention. Default: they do not mention it. */
  readonly apiUrl?: string;
  /** Explains once per source why it is not served. Default: no explanation. */
  readonly explain?: (resource: Resource, signal: AbortSignal) => Promise<string | undefined>;
  /** If `optional`, health does not depend on sources that the API server does not serve. */
  readonly crdWait?: CrdWait;
  /** Default: nothing is measured. */
  readonly meter?: Meter;
  /** Called for each change of a source. Default: no observer. */
  readonly observer?: Pick<ProcessObserver, 'sourceChanged'>;
}

/**
 * How many milliseconds a watch may take to deliver what a comparison has found in a list. After that, the
 * lost change is reported, and the watch is reopened, which costs one list.
 */
const COMPARE_PATIENCE_MS = 3_000;

/** An informer, and what is known about its users. */
interface Shared extends ScopeActivity {
  /** Identifies the informer in log lines. */
  readonly facts: object;
  readonly labels: Labels;
  /** Undefined unless replicas share the objects of the source. */
  readonly slotted: SlottedSource | undefined;
  /** If 0, the reflector compares the cache with the API server at its own interval. */
  readonly relistIntervalMs: number;
  users: number;
  /** Number of users that are not optional. */
  needs: number;
  stop: () => void;
}

/** One source over several namespaces, and its users. */
interface Facade {
  readonly informer: NamespacesInformer<KubernetesObject>;
  readonly stop: AbortController;
  users: number;
}

/**
 * The informers of a process: one list and one watch for each scope, no matter how many controllers use it.
 * A scope that is added during the run starts at once. A scope stops when its last user has released it.
 */
export class Informers {
  /** The writes of this process. All users of a source share it. */
  readonly ownWritesJournal: OwnWritesJournal = new OwnWritesJournal();
  /** Polls for resources that are not served. All sources share it. */
  readonly discoveryPoll: DiscoveryPoll;
  /** The slots whose objects this process caches. They are the same for all sources that replicas share. */
  readonly ownSlots: OwnSlots;
  readonly #options: InformersOptions;
  readonly #identities = new ScopeIdentities();
  readonly #shared = new Map<string, Shared>();
  /** Sources over the configured namespaces. Each has several informers behind one store. */
  readonly #facades = new Map<string, Facade>();
  readonly #gauges: CacheGauges;
  /** Limits the load that all sources together put on the API server. */
  readonly #limiter: ListLimiter;
  #running: { readonly signal: AbortSignal; readonly ended: Set<Promise<void>> } | undefined;
  #crash: (bug: unknown) => void = () => {};

  constructor(options: InformersOptions) {
    const { meter = noMeter, reflector } = options;
    this.#options = options;
    this.#limiter = reflector.limiter ?? new ListLimiter(reflector);
    this.discoveryPoll = reflector.discoveryPoll ?? new DiscoveryPoll(reflector.clock);
    this.ownSlots = new OwnSlots(reflector.clock, () => this.#shared.values());
    this.#gauges = new CacheGauges(meter, reflector.clock, () => this.#shared.values());
  }

  /**
   * The informer of a source, for the life of the process. Equal sources share one informer.
   *
   * @throws ConfigurationError `CONFIG` when the source and an equal source use one index name for
   *   different functions.
   */
  of(source: ShardableSource): SharedInformer<KubernetesObject> {
    return this.open(source).informer;
  }

  /**
   * The informer of a source until it is released. The last release of a scope ends its watch.
   *
   * @throws ConfigurationError `CONFIG` in the same cases as `of`.
   */
  open(source: ShardableSource): InformerHandle<KubernetesObject> {
    const handle = this.#openNamespaces(source);
    for (const [name, of] of Object.entries(source.indexes ?? {})) {
      ensureIndex(handle.informer, name, of);
    }
    return handle;
  }

  /** True when every source that is not optional has its first full list. */
  get synced(): boolean {
    return [...this.needed()].every(({ informer }) => informer.synced);
  }

  /** Every open list and watch. */
  *scopes(): Generator<ScopeActivity, void, undefined> {
    yield* this.#shared.values();
  }

  /** Returns the value that all scopes of a source have in the field `group`. */
  groupOf(source: ShardableSource): string {
    return this.#identities.of(facadeScope(source), { ...source, slotting: undefined });
  }

  /** The open sources that are not optional. */
  *needed(): Generator<NeededSource, void, undefined> {
    for (const { informer, facts, needs, scope } of this.#shared.values()) {
      const isLetGo = informer.state === 'unserved' && this.#options.crdWait === 'optional';
      if (needs > 0 && !isLetGo) yield { informer, facts, resource: scope.resource };
    }
  }

  /** Runs all informers until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const bug = new Promise<never>((_, reject) => {
      this.#crash = reject;
    });
    const ended = new Set<Promise<void>>();
    this.#running = { signal, ended };
    for (const shared of this.#shared.values()) this.#start(shared);
    for (const facade of this.#facades.values()) this.#startFacade(facade);
    this.#gauges.start();
    try {
      await Promise.race([aborted(signal), bug]);
      while (ended.size > 0) await Promise.race([Promise.all(ended), bug]);
    } finally {
      this.#gauges.stop();
    }
  }

  #openNamespaces(source: ShardableSource): InformerHandle<KubernetesObject> {
    const { namespace, resource } = source;
    const scope = scopeOf(source);
    const configured = namespace === 'configured' && resource.namespaced;
    const namespaces = [...new Set(this.#options.namespaces)];
    if (!configured || this.#options.namespaces === undefined)
      return this.#openScope(scope, source);
    // A facade for a single namespace would only add a second delivery step to every change.
    const [only] = namespaces;
    if (only !== undefined && namespaces.length === 1) {
      return this.#openScope({ ...scope, namespace: only }, source);
    }
    return this.#facade(source, namespaces);
  }

  #openScope(scope: Scope, source: ShardableSource): InformerHandle<KubernetesObject> {
    const { optional } = source;
    const identity = this.#identities.of(scope, source);
    const shared = this.#shared.get(identity) ?? this.#share(identity, scope, source);
    shared.users++;
    if (!optional) shared.needs++;
    let released = false;
    return {
      informer: shared.informer,
      release: () => {
        if (released) return;
        released = true;
        shared.users--;
        if (!optional) shared.needs--;
        if (shared.users > 0) return;
        this.#shared.delete(identity);
        shared.stop();
      },
    };
  }

  #share(identity: string, scope: Scope, wanted: ShardableSource): Shared {
    const { transform = dropManagedFields, prepare, onUnserved, slotting } = wanted;
    const { relistIntervalMs = 0 } = wanted;
    const { listWatchFor, log, meter = noMeter, reflector } = this.#options;
    const labels = scopeLabels(scope);
    const facts = scopeFacts(scope);
    const { clock } = reflector;
    const bare = listWatchFor(scope);
    const observed = transformLog({ log, clock, meter, labels, facts });
    const taken = (from: ListWatch<KubernetesObject>): ListWatch<KubernetesObject> =>
      prepare === undefined ? transformed(from, transform, observed) : prepared(from, prepare);
    const callbacks = shardingLog({ log, meter, labels, facts });
    const slotted = slotting && this.ownSlots.of(bare, slotting, taken, callbacks);
    const source = slotted?.source ?? taken(bare);
    const statusChanged = statusLog(log, facts, {
      clock,
      resourceVersion: () => informer.resourceVersion,
    });
    const advise = sourceAdvice({
      log,
      facts,
      apiUrl: this.#options.apiUrl,
      explain: this.#explainer(scope.resource),
      isNeeded: () => shared.needs > 0,
      failed: (bug) => this.#crash(bug),
    });
    const informer: Informer<KubernetesObject> = new Informer(
      source,
      observer(log, facts, (status) => {
        statusChanged(status);
        advise(status);
      }),
      {
        ...reflector,
        name: resourceName(scope.resource),
        meter,
        labels,
        ...(onUnserved !== undefined && { onUnserved }),
        limiter: this.#limiter,
        discoveryPoll: this.discoveryPoll,
        // How a prepared object looks in the cache is only known after the watch has delivered it.
        cachedForm: prepare === undefined ? cachedForm({ ...scope, transform }) : () => undefined,
        onNotice: (notice) => logNotice(log, facts, notice),
      },
    );
    const stop = this.ownWritesJournal.add(scope.resource, scope.namespace, informer.ownWrites);
    const shared: Shared = {
      ...{ informer, scope, facts, labels, slotted, relistIntervalMs },
      ...{ group: this.groupOf(wanted), form: formOf(wanted) },
      ...{ users: 0, needs: 0, stop },
    };
    this.#shared.set(identity, shared);
    informer.onStateChange(() => {
      this.#gauges.measure();
      this.#options.observer?.sourceChanged(shared);
    });
    this.#start(shared);
    return shared;
  }

  #explainer(resource: Resource): (() => Promise<string | undefined>) | undefined {
    const { crdWait, explain } = this.#options;
    if (explain === undefined || crdWait === 'optional') return undefined;
    return async () => {
      const signal = this.#running?.signal ?? NEVER_ABORTED;
      try {
        return await explain(resource, signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    };
  }

  /**
   * Equal sources share one facade, and thereby one store. They also share the informers behind the facade.
   * The facade releases those informers when its last user has left.
   */
  #facade(
    source: ShardableSource,
    namespaces: readonly string[],
  ): InformerHandle<KubernetesObject> {
    const identity = `${source.optional} ${this.#identities.of(facadeScope(source), source)}`;
    const facade = this.#facades.get(identity) ?? this.#newFacade(identity, source, namespaces);
    facade.users++;
    let released = false;
    return {
      informer: facade.informer,
      release: () => {
        if (released) return;
        released = true;
        facade.users--;
        if (facade.users > 0) return;
        this.#facades.delete(identity);
        facade.stop.abort(new Error('the last user of the source has left'));
      },
    };
  }

  #newFacade(identity: string, source: ShardableSource, namespaces: readonly string[]): Facade {
    const { log, reflector } = this.#options;
    const scope = facadeScope(source);
    const informer = new NamespacesInformer<KubernetesObject>({
      ...reflector,
      name: resourceName(source.resource),
      namespaces,
      open: (namespace) => this.#openScope({ ...scope, namespace }, source),
      handlerFailed: (err) => log.error({ ...scopeFacts(scope), err }, 'handler failed'),
    });
    const facade: Facade = { informer, stop: new AbortController(), users: 0 };
    this.#facades.set(identity, facade);
    this.#startFacade(facade);
    return facade;
  }

  #startFacade({ informer, stop }: Facade): void {
    if (this.#running === undefined) return;
    const running = linkedAbort(this.#running.signal);
    const end = (): void => running.abort(stop.signal.reason);
    stop.signal.addEventListener('abort', end, { once: true });
    if (stop.signal.aborted) end();
    this.#track(informer.run(running.signal).finally(() => running[Symbol.dispose]()));
  }

  #start(shared: Shared): void {
    if (this.#running === undefined) return;
    const stop = linkedAbort(this.#running.signal);
    const leave = shared.stop;
    shared.stop = () => {
      leave();
      stop.abort(new Error('the last user of the source has left'));
    };
    this.#track(shared.informer.run(stop.signal).finally(() => stop[Symbol.dispose]()));
    if (shared.relistIntervalMs > 0) this.#track(this.#compare(shared, stop.signal));
  }

  /** Compares a cache with the API server at the interval that its source requests. */
  async #compare({ informer, relistIntervalMs }: Shared, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.reflector;
    try {
      for (;;) {
        await sleep(clock, relistIntervalMs, signal);
        // The watch has the same failure and reports it. The next round tries again.
        await abortable(informer.verify(COMPARE_PATIENCE_MS), signal).catch(() => {});
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #track(run: Promise<void>): void {
    const ended = this.#running?.ended;
    const tracked = run.catch(this.#crash).finally(() => ended?.delete(tracked));
    ended?.add(tracked);
  }
}

function formOf({ metadataOnly, prepare, transform }: ShardableSource): ScopeActivity['form'] {
  if (transform !== undefined || prepare !== undefined) return 'transformed';
  return metadataOnly === true ? 'metadata' : 'full';
}

function facadeScope(source: Source): Scope {
  return scopeOf({ ...source, namespace: 'all' });
}

function observer(
  log: Log,
  facts: object,
  statusChanged: InformerObserver['statusChanged'],
): InformerObserver {
  return {
    statusChanged,
    drifted: (keys) =>
      log.warn(
        { ...facts, count: keys.length, keys: keys.slice(0, 10) },
        'cache had drifted, it is listed anew',
      ),
    handlerFailed: (err) => log.error({ ...facts, err }, 'handler failed'),
    indexFailed: (index, err) => log.error({ ...facts, index, err }, 'index function failed'),
  };
}
