import { ConfigurationError } from '../core/errors.ts';
import { type DefinedResource, hasDefinition } from '../model/custom-resource-definition.ts';
import { isDns1035Label } from '../model/dns-name.ts';
import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { QueueSettings } from '../queue/work-queue.ts';
import type { Store } from '../store/store.ts';
import { type Finalizer, requireFinalizerName } from './finalizers/finalizer.ts';
import type { Predicate } from './predicate.ts';
import type { Reconciler } from './reconciler.ts';
import { type Source, sourceOf } from './source.ts';
import type { Trigger } from './trigger.ts';

/** What a mapping may look into. */
export interface MappingContext {
  /**
   * The cache of one of the controller's own sources, as its reconciler sees it: read-only, with what
   * this process wrote. It has the change that the mapping is called for, and every needed source has
   * its first list; of an optional one `synced` tells.
   *
   * So the question "which of my objects names this one" has its answer here, best by an index of the
   * source, and none is missed: an object that names it and is not in the cache yet is reconciled when
   * it comes, unless the controller's predicate keeps that change out.
   *
   * @throws ConfigurationError `CONFIG` when the controller does not declare `source`.
   */
  store<S extends KubernetesObject>(source: Source<S> | Resource<S>): Store<S>;
}

/** A second source whose objects name keys of the controller's own resource. */
export interface Mapping {
  /** The objects that are mapped. */
  readonly source: Source;
  /**
   * Called with the old and with the new state of a changed object, whose `object` is parsed when it is
   * asked for, and whose `metadata` alone costs less; both answers are enqueued, each key once.
   * It may look something up: other objects are mapped meanwhile, up to 16 at a time, while the changes
   * of one object stay in order, and what comes above 1,000 changes is merged object by object. One
   * that throws is called twice more, one that rejects after 0.1 s and 1 s; then the change is dropped,
   * with a log line and a count.
   */
  readonly map: (
    entry: Entry,
    context: MappingContext,
  ) => Iterable<ObjectKey> | Promise<Iterable<ObjectKey>>;
  /** Only changes that it is true for. Default: all. */
  readonly predicate?: Predicate;
}

/** A source of children: a change enqueues the owner that the child names. */
interface Owned {
  /** The children. */
  readonly source: Source;
  /** Every owner of the controller's kind counts. Default false: only the one with `controller`. */
  readonly anyOwner?: boolean;
  /** Only changes that it is true for. Default: all. */
  readonly predicate?: Predicate;
}

/** What a controller does beyond reading its sources: the base of generated permissions. */
export interface Permission {
  /** The resource that the right is for. */
  readonly resource: Resource;
  /** `status`, `scale`, …; left out: the resource itself. */
  readonly subresource?: string;
  /**
   * The objects, by name. Left out: every object. What is listed or watched so needs the field
   * selector `metadata.name=…`, and what is created so server-side apply: a POST has no name in its path.
   */
  readonly resourceNames?: readonly string[];
  /** What is done to it. `apply` and `patch` are both `patch`; `evict` is `create` of `eviction`. */
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
}

/** A controller as a declaration: it can be inspected without being run. */
export interface Controller<T extends KubernetesObject = KubernetesObject> {
  /** Names logs, metrics and the field manager. */
  readonly name: string;
  /** The objects whose keys are reconciled. */
  readonly for: Source<T>;
  /** Sources of children. */
  readonly owns: readonly Owned[];
  /** Sources whose objects name keys. */
  readonly watches: readonly Mapping[];
  /** Sources that are read, and whose changes enqueue nothing. */
  readonly reads: readonly Source[];
  /** Where keys come from that no watch names. */
  readonly triggers: readonly Trigger[];
  /** Rights beyond those that follow from its sources. */
  readonly permissions: readonly Permission[];
  /** Keys reconciled side by side; one key never overlaps itself. */
  readonly maxConcurrentReconciles: number;
  /** One replica at a time runs it, if there is an election. */
  readonly needsLeaderElection: boolean;
  /** How its reads relate to its own writes. */
  readonly consistency: Consistency;
  /** Only changes of `for` that it is true for. Left out: all. */
  readonly predicate?: Predicate;
  /** The cleanup of objects that are being deleted. Left out: there is none. */
  readonly finalizer?: Finalizer;
  /** Least milliseconds between two reconciles of a key. Left out: 0. */
  readonly minIntervalMs?: number;
  /** Limit of one reconcile in milliseconds, 0 for none. Left out: 5 minutes. */
  readonly reconcileTimeoutMs?: number;
  /** Milliseconds after which a reconcile under way fails `/healthz`. Left out: it never does. */
  readonly maxReconcileAgeMs?: number;
  /** Milliseconds after which every object is reconciled again, 0 for never. Left out: 10 h. */
  readonly resyncPeriodMs?: number;
  /** Back-off and ageing of its queue. Left out: the defaults of each. */
  readonly queue?: QueueSettings;
  /** A Reconciler; written as a method, so that a controller of Deployments is a Controller. */
  reconcile(...call: Parameters<Reconciler<T>>): ReturnType<Reconciler<T>>;
}

/**
 * How a reconciler's reads relate to its own writes, which the cache learns of a little later.
 *
 * - `overlay`: the cache shows what this process wrote until it has caught up.
 * - `wait`: a key is reconciled again only when the cache has caught up with what it wrote, after 5 s
 *   at most.
 * - `none`: the cache as it is.
 */
export type Consistency = 'overlay' | 'wait' | 'none';

/**
 * What `controller` takes: `name`, `for` and `reconcile`, and everything else by default. docs/operators.md
 * shows them at work.
 */
export interface ControllerOptions<T extends KubernetesObject> {
  /** Lower-case words joined by `-`; names logs, metrics and the field manager. */
  readonly name: string;
  /** The objects whose keys are reconciled. A resource stands for a source with its defaults. */
  readonly for: Source<T> | Resource<T>;
  /** Only changes of `for` that it is true for. Default: all. */
  readonly predicate?: Predicate<T>;
  /** Children of the objects: what `applyOwned` writes belongs here, and the rights follow from it. */
  readonly owns?: readonly (Resource | Source | Owned)[];
  /** Sources whose objects name keys: see `enqueueMapped`. Default: none. */
  readonly watches?: readonly Mapping[];
  /**
   * What is only looked into: listed, watched and cached for `store`, with the rights for that, while
   * its changes enqueue nothing.
   */
  readonly reads?: readonly (Resource | Source)[];
  /** Keys from outside the cluster, and by the clock. */
  readonly triggers?: readonly Trigger[];
  /** Rights for what the reconciler's own code does with `client`. Default: none. */
  readonly permissions?: readonly Permission[];
  /** Cleans up before an object goes. Default: nothing is cleaned up, and `reconcile` is called instead. */
  readonly finalizer?: Finalizer<T>;
  /** Default 1, as in controller-runtime. */
  readonly maxConcurrentReconciles?: number;
  /** One replica at a time may run it. Default true; without leader election in the settings, all do. */
  readonly needsLeaderElection?: boolean;
  /** Default `overlay`. */
  readonly consistency?: Consistency;
  /** A key is reconciled at most so often; what comes earlier waits, and is one. Default 0: at once. */
  readonly minIntervalMs?: number;
  /** Default 5 minutes; a reconcile that takes longer has its signal aborted. 0 is no limit. */
  readonly reconcileTimeoutMs?: number;
  /** A reconcile under way for longer fails `/healthz`. Default: none does. */
  readonly maxReconcileAgeMs?: number;
  /** Every cached object is reconciled again in so long, ± 10 %. Default 10 h; 0 is never. */
  readonly resyncPeriodMs?: number;
  /** Back-off and ageing of its queue; each has a default. */
  readonly queue?: QueueSettings;
  /** Makes the world match one object. */
  readonly reconcile: Reconciler<T>;
}

/** Registered, so that what a module declared that has loaded this file anew is understood as well. */
const DECLARED: unique symbol = Symbol.for('chancery.controller');

/**
 * Declares a controller. Starts nothing.
 *
 * @throws ConfigurationError `CONFIG` when a name or a number is unusable.
 */
export function controller<T extends KubernetesObject>(
  options: ControllerOptions<T>,
): Controller<T> {
  const { predicate, finalizer, ...rest } = options;
  if (!isDns1035Label(options.name)) {
    throw new ConfigurationError('controller name must be at most 63 of a-z, 0-9 and "-"', {
      context: { name: options.name },
    });
  }
  requireLimits(options);
  if (finalizer !== undefined) requireFinalizerName(finalizer.name);
  const maxConcurrentReconciles = options.maxConcurrentReconciles ?? 1;
  return Object.freeze({
    watches: [],
    triggers: [],
    permissions: [],
    needsLeaderElection: true,
    consistency: 'overlay',
    ...rest,
    ...(predicate && { predicate: predicate as Predicate }),
    ...(finalizer && { finalizer: finalizer as Finalizer }),
    for: sourceOf(options.for),
    owns: (options.owns ?? []).map(ownedOf),
    reads: (options.reads ?? []).map((given) => sourceOf(given)),
    maxConcurrentReconciles,
    [DECLARED]: true,
  });
}

/** Where each number is a time in milliseconds: the least that makes sense. */
const LEAST_MS = {
  minIntervalMs: 0,
  reconcileTimeoutMs: 0,
  maxReconcileAgeMs: 1,
  resyncPeriodMs: 0,
} as const;

function requireLimits<T extends KubernetesObject>(options: ControllerOptions<T>): void {
  const { maxConcurrentReconciles = 1, finalizer, name: controller } = options;
  if (!Number.isInteger(maxConcurrentReconciles) || maxConcurrentReconciles < 1) {
    throw new ConfigurationError('maxConcurrentReconciles must be a whole number above 0', {
      context: { controller, maxConcurrentReconciles },
    });
  }
  for (const [name, least] of Object.entries(LEAST_MS)) {
    requireMs(controller, name, options[name as keyof typeof LEAST_MS], least);
  }
  requireMs(controller, 'forceFinalizeAfterMs', finalizer?.forceFinalizeAfterMs, 0);
}

function requireMs(controller: string, name: string, ms: number | undefined, least: number): void {
  if (ms === undefined || (ms >= least && Number.isFinite(ms))) return;
  throw new ConfigurationError(`${name} must be milliseconds, at least ${least}`, {
    context: { controller, [name]: ms },
  });
}

function ownedOf(given: Resource | Source | Owned): Owned {
  return 'source' in given ? given : { source: sourceOf(given) };
}

/** True for what `controller()` returned; how `chancery run` tells it from any other export. */
export function isController(value: unknown): value is Controller {
  return typeof value === 'object' && value !== null && DECLARED in value;
}

/**
 * Enqueues the keys that `map` names whenever an object of `of` changes; a resource stands for a source
 * with its defaults. See `Mapping.map`, and `MappingContext` for what it may look into.
 */
export function enqueueMapped<T extends KubernetesObject>(
  of: Source<T> | Resource<T>,
  map: (entry: Entry<T>, context: MappingContext) => ReturnType<Mapping['map']>,
  { predicate }: { readonly predicate?: Predicate<T> } = {},
): Mapping {
  return {
    source: sourceOf(of) as unknown as Source,
    map: map as Mapping['map'],
    ...(predicate && { predicate: predicate as Predicate }),
  };
}

/** Every source that a controller declares, in the order of its declaration; one may come twice. */
export function sourcesOf({ for: root, owns, watches, reads }: Controller): readonly Source[] {
  return [root, ...[...owns, ...watches].map(({ source }) => source), ...reads];
}

/**
 * The resources of `controllers` that bring their definition along, each once, sorted by name.
 *
 * @throws ConfigurationError `CONFIG` when two of them declare one resource differently.
 */
export function definedResources(controllers: readonly Controller[]): readonly DefinedResource[] {
  const found = new Map<string, DefinedResource>();
  const resources = controllers.flatMap(sourcesOf).map(({ resource }) => resource);
  for (const resource of resources.filter(hasDefinition)) {
    const { name } = resource.definition.metadata;
    const known = found.get(name);
    if (known !== undefined && known.definition !== resource.definition) {
      const context = { definition: name };
      throw new ConfigurationError('two definitions of one resource: share one', { context });
    }
    found.set(name, resource);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource);
}

/** What may need a leader: a controller, or anything else that a manager runs. */
interface Guardable {
  readonly name: string;
  /** Default true. */
  readonly needsLeaderElection?: boolean;
}

/**
 * The name of the Lease of what has no name for it: the first declaration's that needs a leader, and
 * `-leader`.
 *
 * Only the first counts, so that an operator that gains another controller shares its Lease with the
 * version before, while both run: under another name each would lead.
 */
export function leaseNameOf(declared: readonly Guardable[]): string {
  const first = declared.find(({ needsLeaderElection = true }) => needsLeaderElection);
  return `${first?.name ?? 'chancery'}-leader`;
}
