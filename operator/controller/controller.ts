import { ConfigurationError } from '../core/errors.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Reconciler } from './reconciler.ts';
import type { Source } from './source.ts';

/** A second source whose objects name keys of the controller's own resource. */
export interface Mapping {
  readonly source: Source;
  /** Called with the old and with the new object of a change; both answers are enqueued. */
  readonly map: (object: KubernetesObject) => Iterable<ObjectKey>;
}

/** What a controller does beyond reading its sources: the base of generated permissions. */
export interface Permission {
  readonly resource: Resource;
  readonly subresource?: string;
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete')[];
}

/** A controller as a declaration: it can be inspected without being run. */
export interface Controller<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  /** The objects whose keys are reconciled. */
  readonly for: Source<T>;
  readonly watches: readonly Mapping[];
  readonly permissions: readonly Permission[];
  /** Keys reconciled side by side; one key never overlaps itself. */
  readonly maxConcurrentReconciles: number;
  /** A Reconciler; written as a method, so that a controller of Deployments is a Controller. */
  reconcile(...call: Parameters<Reconciler<T>>): ReturnType<Reconciler<T>>;
}

export interface ControllerOptions<T extends KubernetesObject> {
  /** Lower-case words joined by `-`; names logs, metrics and the field manager. */
  readonly name: string;
  readonly for: Source<T>;
  readonly watches?: readonly Mapping[];
  readonly permissions?: readonly Permission[];
  /** Default 1, as in controller-runtime. */
  readonly maxConcurrentReconciles?: number;
  readonly reconcile: Reconciler<T>;
}

/** Registered, so that a module that loaded another copy of this file is understood as well. */
const DECLARED: unique symbol = Symbol.for('chancery.controller');

/**
 * Declares a controller. Starts nothing.
 *
 * @throws ConfigurationError `CONFIG` when the name or the concurrency is unusable.
 */
export function controller<T extends KubernetesObject>(
  options: ControllerOptions<T>,
): Controller<T> {
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(options.name) || options.name.length > 63) {
    throw new ConfigurationError('controller name must be at most 63 of a-z, 0-9 and "-"', {
      context: { name: options.name },
    });
  }
  const maxConcurrentReconciles = options.maxConcurrentReconciles ?? 1;
  if (!Number.isInteger(maxConcurrentReconciles) || maxConcurrentReconciles < 1) {
    throw new ConfigurationError('maxConcurrentReconciles must be a whole number above 0', {
      context: { controller: options.name, maxConcurrentReconciles },
    });
  }
  return Object.freeze({
    watches: [],
    permissions: [],
    ...options,
    maxConcurrentReconciles,
    [DECLARED]: true,
  });
}

/** True for what `controller()` returned; how `chancery run` tells it from any other export. */
export function isController(value: unknown): value is Controller {
  return typeof value === 'object' && value !== null && DECLARED in value;
}

/** Enqueues the keys that `map` names whenever an object of `source` changes. */
export function enqueueMapped<T extends KubernetesObject>(
  source: Source<T>,
  map: (object: T) => Iterable<ObjectKey>,
): Mapping {
  return { source, map: map as Mapping['map'] };
}
