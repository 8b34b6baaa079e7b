import { ConfigurationError } from '../core/errors.ts';
import { type DefinedResource, hasDefinition } from '../model/custom-resource-definition.ts';
import { isDns1035Label } from '../model/dns-name.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { KeyBackoffOptions } from '../queue/key-backoff.ts';
import type { QueueSettings } from '../queue/work-queue.ts';
import { type CheckedVerb, requireVerbs } from './checked-verbs.ts';
import { type Finalizer, requireFinalizerName } from './finalizers/finalizer.ts';
import {
  KNOWN,
  type NamesOf,
  requireFunction,
  requireNames,
  requireWord,
} from './known-options.ts';
import type { Mapping } from './mapping.ts';
import type { Predicate } from './predicate.ts';
import type { GoneContext, Outcome, Reconciler } from './reconciler.ts';
import { type Source, sourceOf } from './source.ts';
import type { Trigger } from './trigger.ts';

/**
 * A source of children. A change of a child enqueues the owner that is listed in the child's owner
 * references.
 */
interface Owned {
  /** The source that lists and watches the children. */
  readonly source: Source;
  /**
   * True: enqueue every owner of the controller's kind. Default false: only the owner marked `controller`.
   */
  readonly anyOwner?: boolean;
  /**
   * True: the reconciler calls `applyOwned` with `adopt: true` for such children. This only affects generated
   * policies: without this option the policies do not allow the adoption of an object without a controller.
   * Default false.
   */
  readonly adopts?: boolean;
  /** Drops a change if it returns false. Default: no change is dropped. */
  readonly predicate?: Predicate;
}

/** A right that a controller needs beyond reading its sources. Generated permissions include it. */
export interface Permission {
  /** The resource to which the right applies. */
  readonly resource: Resource;
  /** `status`, `scale`, … If omitted, the right applies to the resource itself. */
  readonly subresource?: string;
  /**
   * Names of the objects. If omitted, the right applies to every object. To list or watch with a right to
   * single names, use the field selector `metadata.name=…`. To create with such a right, use server-side
   * apply, because the path of a POST has no name.
   */
  readonly resourceNames?: readonly string[];
  /**
   * Namespaces, for a namespaced resource. If omitted, the right applies in the namespaces of the
   * controller's namespaced sources.
   */
  readonly namespaces?: readonly string[];
  /**
   * The allowed verbs. `apply` and `patch` both need `patch`; `evict` needs `create` on `eviction`. A
   * `CheckedVerb` needs `resourceNames`.
   */
  readonly verbs: readonly (
    | 'get'
    | 'list'
    | 'watch'
    | 'create'
    | 'update'
    | 'patch'
    | 'delete'
    | CheckedVerb
  )[];
}

/** The declaration of a controller. It can be inspected without being run. */
export interface Controller<T extends KubernetesObject = KubernetesObject> {
  /** The name used in logs, in metrics and as the field manager. */
  readonly name: string;
  /** The objects whose keys are reconciled. */
  readonly for: Source<T>;
  /** Sources of children. */
  readonly owns: readonly Owned[];
  /** Sources whose objects are mapped to keys. */
  readonly watches: readonly Mapping[];
  /** Sources that are only read. Their changes enqueue nothing. */
  readonly reads: readonly Source[];
  /** Triggers that enqueue keys for reasons other than a watched change. */
  readonly triggers: readonly Trigger[];
  /** Rights in addition to the rights that the controller needs for its sources. */
  readonly permissions: readonly Permission[];
  /** The number of keys that are reconciled at the same time. Two reconciles of one key never overlap. */
  readonly maxConcurrentReconciles: number;
  /** True if, with leader election, only the leading replica runs the controller. */
  readonly needsLeaderElection: boolean;
  /** How the reads of the reconciler relate to its earlier writes. */
  readonly consistency: Consistency;
  /** Drops a change of `for` if it returns false. If omitted, no change is dropped. */
  readonly predicate?: Predicate;
  /** Cleans up objects that are being deleted. If omitted, nothing is cleaned up. */
  readonly finalizer?: Finalizer;
  /** Name of the finalizer that `reconcile` itself adds and removes. If omitted, it has none. */
  readonly ownFinalizer?: string;
  /** Minimum milliseconds between the starts of two reconciles of a key. If omitted, 0. */
  readonly minIntervalMs?: number;
  /** Time limit of one reconcile in milliseconds, 0 for none. If omitted, 5 minutes. */
  readonly reconcileTimeoutMs?: number;
  /** A reconcile that runs longer than this, in milliseconds, fails `/healthz`. If omitted, it never does. */
  readonly maxReconcileAgeMs?: number;
  /** Milliseconds after which every object is reconciled again, 0 for never. If omitted, 10 h. */
  readonly resyncPeriodMs?: number;
  /** Back-off and ageing of the controller's queue. An omitted setting has its default. */
  readonly queue?: QueueSettings;
  /**
   * A `Reconciler`. Declared as a method, so that a controller of Deployments is assignable to
   * `Controller`.
   */
  reconcile(...call: Parameters<Reconciler<T>>): ReturnType<Reconciler<T>>;
  /** Called instead of `reconcile` when the object no longer exists. If omitted, nothing is called. */
  gone?(key: ObjectKey, context: GoneContext): Outcome | Promise<Outcome>;
}

/**
 * How the reads of a reconciler relate to its earlier writes, which reach the cache with a short delay.
 *
 * - `overlay`: reads contain this process's writes at once, before the watch delivers them.
 * - `wait`: like `overlay`. In addition, a key is reconciled again only when the cache has received its
 *   writes, or 5 s after the last write.
 * - `none`: reads contain only what the watch has delivered.
 */
export type Consistency = 'overlay' | 'wait' | 'none';

/**
 * The options of `controller`. `name`, `for` and `reconcile` are required; all others have defaults. See
 * docs/guides/write/operators.md for examples.
 */
export interface ControllerOptions<T extends KubernetesObject> {
  /** Lower-case words joined by `-`; used in logs, in metrics and as the field manager. */
  readonly name: string;
  /** The objects whose keys are reconciled. A resource stands for a source with its defaults. */
  readonly for: Source<T> | Resource<T>;
  /** Drops a change of `for` if it returns false. Default: no change is dropped. */
  readonly predicate?: Predicate<T>;
  /**
   * Resources of the children. List every resource that `applyOwned` writes, because the rights for these
   * writes follow from this list. A source must select every child that is written.
   */
  readonly owns?: readonly (Resource | Source | Owned)[];
  /** Sources whose objects are mapped to keys, see `enqueueMapped`. Default: none. */
  readonly watches?: readonly Mapping[];
  /**
   * Sources that are only read through `store`. They are listed, watched and cached, and the controller gets
   * the rights for that. Their changes enqueue nothing.
   */
  readonly reads?: readonly (Resource | Source)[];
  /** Triggers enqueue keys at certain times, or because of events outside the cluster. Default: none. */
  readonly triggers?: readonly Trigger[];
  /** Rights for the calls that the reconciler itself makes with `client`. Default: none. */
  readonly permissions?: readonly Permission[];
  /**
   * Cleans up before an object is removed. Default: none; `reconcile` then also gets objects that are being
   * deleted.
   */
  readonly finalizer?: Finalizer<T>;
  /** The number of keys that are reconciled at the same time. Default 1, as in controller-runtime. */
  readonly maxConcurrentReconciles?: number;
  /**
   * True if only the leading replica runs the controller. Default true. Without leader election in the
   * settings, every replica runs it.
   */
  readonly needsLeaderElection?: boolean;
  /** How the reads of the reconciler relate to its earlier writes. Default `overlay`. */
  readonly consistency?: Consistency;
  /**
   * Minimum milliseconds between the starts of two reconciles of a key. Changes that come earlier are
   * merged into one reconcile. Default 0: no minimum.
   */
  readonly minIntervalMs?: number;
  /** Milliseconds after which the signal of a reconcile aborts. Default 5 minutes; 0 means no limit. */
  readonly reconcileTimeoutMs?: number;
  /** A reconcile that runs longer than this, in milliseconds, fails `/healthz`. Default: it never does. */
  readonly maxReconcileAgeMs?: number;
  /** Milliseconds after which every cached object is reconciled again, ± 10 %. Default 10 h; 0: never. */
  readonly resyncPeriodMs?: number;
  /** Back-off and ageing of the controller's queue. An omitted setting has its default. */
  readonly queue?: QueueSettings;
  /** Makes the cluster, or any other system, match the desired state in one object. */
  readonly reconcile: Reconciler<T>;
  /**
   * Called instead of `reconcile` when no object with that key exists, for example to forget what the process
   * knows about it. Retries, limits and outcomes are the same as for `reconcile`, and the two never overlap
   * for one key. An object that no longer matches the selectors of `for` also counts as gone. If the object
   * has been created again by then, `reconcile` is called with another uid.
   *
   * It is not called for objects that were deleted while no process ran, nor for deletes that `predicate`
   * drops. Use a `finalizer` for a cleanup that must not be missed. Default: nothing is called.
   */
  readonly gone?: (key: ObjectKey, context: GoneContext) => Outcome | Promise<Outcome>;
}

/**
 * Registered with `Symbol.for`, so that `isController` also recognizes controllers from another copy of this
 * module.
 */
const DECLARED: unique symbol = Symbol.for('chancery.controller');

/**
 * Declares a controller. Starts nothing.
 *
 * @throws ConfigurationError `CONFIG` when a name or a number is invalid. If the caller does not check types,
 *   also for an unknown option, verb or other word; the message contains the most similar known ones.
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
  requireKnownOptions(options);
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

/**
 * The error for an operator that was written for an earlier version. The first parameter was the key then,
 * and is now the object.
 */
const OLD_FORM =
  'takes (key, object, context): write (object, context), read the key from context.key, ' +
  'and move what it does without an object to gone(key, context)';

/** The smallest valid value of each duration, in milliseconds. */
const LEAST_MS = {
  minIntervalMs: 0,
  reconcileTimeoutMs: 0,
  maxReconcileAgeMs: 1,
  resyncPeriodMs: 0,
} as const satisfies Readonly<
  Record<keyof ControllerOptions<KubernetesObject> & `${string}Ms`, number>
>;

/**
 * Checks the names and words that the types of `controller` check, for callers that do not check types.
 * Without this check a misspelt option would be ignored.
 */
function requireKnownOptions<T extends KubernetesObject>(options: ControllerOptions<T>): void {
  const of = `controller ${options.name}`;
  requireNames(of, options, KNOWN.controller satisfies NamesOf<ControllerOptions<T>>);
  requireFunction(of, 'reconcile', options.reconcile);
  if (!Object.hasOwn(options, 'reconcile')) {
    throw new ConfigurationError(
      `${of} is an instance of a class: pass an object, with reconcile: (object, context) => instance.reconcile(object, context)`,
    );
  }
  if (options.gone !== undefined) {
    requireFunction(of, 'gone', options.gone, 'gone: async (key, context) => …');
  }
  if (options.reconcile.length > 2) throw new ConfigurationError(`reconcile of ${of} ${OLD_FORM}`);
  if (typeof options.for !== 'object') {
    throw new ConfigurationError(`for of ${of} must be a source or a resource, as source(pods)`);
  }
  for (const each of options.owns ?? []) {
    if (!('source' in each)) continue;
    requireNames(`owns of ${of}`, each, KNOWN.owned satisfies NamesOf<Owned>);
  }
  for (const each of options.watches ?? []) {
    requireFunction(`watches of ${of}`, 'map', each.map, 'enqueueMapped(SOURCE, map)');
    requireNames(`watches of ${of}`, each, KNOWN.mapping satisfies NamesOf<Mapping>);
  }
  for (const each of options.permissions ?? []) {
    requireNames(`permissions of ${of}`, each, KNOWN.permission satisfies NamesOf<Permission>);
    const known: Readonly<Record<Permission['verbs'][number], true>> = KNOWN.verbs;
    requireVerbs(`permissions of ${of}`, each, known);
  }
  const { finalizer = {}, queue = {}, consistency = 'overlay' } = options;
  const { backoff = {} } = queue;
  requireNames(`finalizer of ${of}`, finalizer, KNOWN.finalizer satisfies NamesOf<Finalizer>);
  requireNames(`queue of ${of}`, queue, KNOWN.queue satisfies NamesOf<QueueSettings>);
  requireNames(
    `queue.backoff of ${of}`,
    backoff,
    KNOWN.backoff satisfies NamesOf<KeyBackoffOptions>,
  );
  const consistencies: Readonly<Record<Consistency, true>> = KNOWN.consistencies;
  requireWord(of, 'consistency', consistency, consistencies);
}

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

/**
 * True for a value that `controller()` returned. `chancery run` uses this to find controllers among exports.
 */
export function isController(value: unknown): value is Controller {
  return typeof value === 'object' && value !== null && DECLARED in value;
}

/** Every source that a controller declares, in the order of declaration. A source can occur twice. */
export function sourcesOf({ for: root, owns, watches, reads }: Controller): readonly Source[] {
  return [root, ...[...owns, ...watches].map(({ source }) => source), ...reads];
}

/** A runnable or another declaration that is no controller. Its resources may include definitions. */
interface Defining {
  readonly sources?: readonly Source[];
  readonly definitions?: readonly DefinedResource[];
}

/**
 * The resources of `declared` that include a definition, each once, sorted by name.
 *
 * @throws ConfigurationError `CONFIG` when two declarations define one resource differently.
 */
export function definedResources(
  declared: readonly (Controller | Defining)[],
): readonly DefinedResource[] {
  const found = new Map<string, DefinedResource>();
  const resources = declared.flatMap(resourcesOf);
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

function resourcesOf(declared: Controller | Defining): readonly Resource[] {
  if (isController(declared)) return sourcesOf(declared).map(({ resource }) => resource);
  const { sources = [], definitions = [] } = declared;
  return [...sources.map(({ resource }) => resource), ...definitions];
}

/** A controller or another part that a manager runs. It may require that only the leading replica runs it. */
interface Guardable {
  readonly name: string;
  /** Default true. */
  readonly needsLeaderElection?: boolean;
}

/**
 * The default name of the Lease: the name of the first declaration that needs a leader, followed by
 * `-leader`.
 *
 * Only the first declaration counts. When a new version adds a controller, both versions must use the same
 * Lease while both run; with two Leases, both versions would lead.
 */
export function leaseNameOf(declared: readonly Guardable[]): string {
  const first = declared.find(({ needsLeaderElection = true }) => needsLeaderElection);
  return `${first?.name ?? 'chancery'}-leader`;
}
