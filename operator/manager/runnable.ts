import type { Client } from '../client/client.ts';
import type { AccessDeclaration, PlacedPermission } from '../controller/access-declaration.ts';
import { requireVerbs } from '../controller/checked-verbs.ts';
import type { Controller } from '../controller/controller.ts';
import type { EventRecorder } from '../controller/events/event-recorder.ts';
import { KNOWN } from '../controller/known-options.ts';
import type { Log, Self } from '../controller/reconciler.ts';
import type { Source } from '../controller/source.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Meter } from '../core/metrics.ts';
import type { DefinedResource } from '../model/custom-resource-definition.ts';
import { isDns1035Label } from '../model/dns-name.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { InformerHandle } from '../store/namespaces-informer.ts';
import type { StopPhase } from './tasks.ts';

/** The context of one call of `run`. With an election, its client and Event recorder belong to the term. */
export interface RunnableContext {
  /**
   * Calls the API server. Its field manager is the name of the runnable. Answers contain integers beyond
   * ±2^53 as `bigint`, so that objects can be written back unchanged.
   */
  readonly client: Client;
  /** Records Events about any object. */
  readonly events: EventRecorder;
  /** A log whose lines contain the name of the runnable. */
  readonly log: Log;
  /** Records measurements, which `/metrics` then contains. */
  readonly meter: Meter;
  /** The clock of the process. */
  readonly clock: Clock;
  /** Namespace and name of the operator's own Pod. */
  readonly self: Self;
  /** True in a dry run: the API server stores no write of `client`. */
  readonly dryRun: boolean;
  /**
   * Lists and watches a source until it is released. It shares its cache with equal sources.
   *
   * @throws ConfigurationError `CONFIG` when an equal source uses the name of an index for a different
   *   function.
   */
  open(source: Source): InformerHandle<KubernetesObject>;
  /**
   * Finds a resource by the API server's discovery: `cm`, `ConfigMap`, `deployments.v1.apps`.
   *
   * @throws ConfigurationError `CONFIG` when the API server serves no such resource now, or several.
   * @throws ApiError, AmbassadorError or ProtocolError when discovery fails.
   */
  discover(name: string, signal: AbortSignal): Promise<Resource>;
  /**
   * The resource with this group, version and plural. Undefined when the API server does not serve it now.
   * Needs fewer requests than `discover`.
   *
   * @throws ApiError, AmbassadorError or ProtocolError when discovery fails.
   */
  discoverExactly(
    names: Pick<Resource, 'group' | 'version' | 'plural'>,
    signal: AbortSignal,
  ): Promise<Resource | undefined>;
  /**
   * True when the API server serves a subresource of `resource`, such as `status`.
   *
   * @throws ApiError, AmbassadorError or ProtocolError when discovery fails.
   */
  hasSubresource(resource: Resource, subresource: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Runs a controller until `signal` aborts or the runnable ends. Then the controller's running reconciles
   * may finish within the shutdown time, and its sources are released. The controller has a client, Events
   * and caches like a declared controller, and belongs to the same term as the runnable. `/readyz` does not
   * wait for its sources.
   *
   * @throws ConfigurationError `CONFIG` when a controller of this name is already running, or when `open`
   *   would throw for a source; OperatorError `UNSERVED` or `NOT_SYNCED` in the same cases as for a declared
   *   controller, but here the error does not stop the process.
   */
  start(controller: Controller, signal: AbortSignal): Promise<void>;
}

/** A task that runs next to the controllers for as long as the process lives. */
export interface Runnable {
  /** Lower-case words joined by `-`. Log lines contain the name. */
  readonly name: string;
  /**
   * The sources that the runnable lists and watches. The operator's rights are generated from them, and the
   * check of rights at startup uses them. The manager lists them like the sources of controllers, and
   * `/readyz` waits for them. Default: none.
   */
  readonly sources?: readonly Source[];
  /** Rights in addition to the rights to read the sources. Default: none. */
  readonly permissions?: readonly PlacedPermission[];
  /**
   * Resources whose definitions are installed together with the definitions of the sources, if the settings
   * enable that. Default: none.
   */
  readonly definitions?: readonly DefinedResource[];
  /**
   * Names under which the runnable owns fields, for generated policies. Default: the name of the
   * runnable.
   */
  readonly fieldManagers?: readonly string[];
  /**
   * Runs until `signal` aborts. If it returns, the runnable has ended. If it throws, the operator stops with
   * exit code 1. A rejection after `signal` has aborted is only logged. With an election, `run` is called
   * once per term.
   */
  run(signal: AbortSignal, context: RunnableContext): Promise<void>;
  /** True when there is no work until something changes. If omitted, the runnable always counts as idle. */
  readonly idle?: () => boolean;
  /**
   * The state for the status page: plain data, without any content of Kubernetes objects. If omitted, the
   * page displays no state.
   */
  readonly status?: () => unknown;
  /**
   * True if only one replica at a time may run it. It then starts when this process leads, and its signal
   * aborts when leadership is lost. Default true. Without leader election in the settings, all replicas run
   * it.
   */
  readonly needsLeaderElection?: boolean;
  /** The phase in which the runnable is stopped. Default `others`. */
  readonly stopPhase?: StopPhase;
}

/**
 * A registered symbol, so that `isRunnable` also recognizes runnables that another copy of this file
 * declared.
 */
const DECLARED: unique symbol = Symbol.for('chancery.runnable');

/**
 * Declares a runnable, so that a module can export it together with controllers. Does not start anything.
 *
 * @throws ConfigurationError `CONFIG` when the name is invalid, or a verb of a permission cannot be declared.
 */
export function runnable(declaration: Runnable): Runnable {
  const { name, permissions = [] } = declaration;
  if (!isDns1035Label(name)) {
    throw new ConfigurationError('runnable name must be at most 63 of a-z, 0-9 and "-"', {
      context: { name },
    });
  }
  for (const each of permissions) {
    requireVerbs(`permissions of runnable ${name}`, each, KNOWN.verbs);
  }
  return Object.freeze({
    needsLeaderElection: true,
    stopPhase: 'others',
    ...declaration,
    run: (signal: AbortSignal, context: RunnableContext) => declaration.run(signal, context),
    [DECLARED]: true,
  });
}

/**
 * True for the result of `runnable()`. `chancery run` uses this to distinguish runnables from other
 * exports.
 */
export function isRunnable(value: unknown): value is Runnable {
  return typeof value === 'object' && value !== null && DECLARED in value;
}

/** The runnables that declare their access to the API server. */
export function declaringRunnables(
  runnables: readonly Runnable[],
): readonly (Runnable & AccessDeclaration)[] {
  return runnables.filter(
    (each): each is Runnable & AccessDeclaration => each.sources !== undefined,
  );
}
