import type { DefinedResource } from '../model/custom-resource-definition.ts';
import type { Resource } from '../model/resource.ts';
import type { Controller, Permission } from './controller.ts';
import type { Source } from './source.ts';

/** A permission, with the namespaces where it applies. */
export interface PlacedPermission extends Permission {
  /**
   * Namespaces, for a namespaced resource. If omitted, the permission applies in the namespaces of the
   * manager's settings.
   */
  readonly namespaces?: readonly string[];
  /**
   * True when the operator sends no request with this verb. Admission only checks whether the operator would
   * be allowed to use it.
   */
  readonly unrequested?: true;
}

/**
 * Writes to the children of a resource. A child is only written while one of its parents is its controller.
 */
export interface ChildWrites {
  readonly resource: Resource;
  readonly parents: readonly Resource[];
  /**
   * `owners`: the controller adopts objects without a controller and releases children. These writes change
   * only owner references. `whole`: it adopts objects without a controller and may change all their fields.
   * If omitted, it does neither.
   */
  readonly adopts?: 'owners' | 'whole';
  /** Labels that every written object of the resource has. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations that every written object of the resource has. Default: none. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The writes to parents or decorated objects themselves. */
export interface ParentWrites {
  readonly resource: Resource;
  /** Finalizers that these writes add and remove. */
  readonly finalizers: readonly string[];
  /** True if these writes also change labels and annotations. Default false. */
  readonly texts?: boolean;
  /**
   * True if the status is a part of the object, because the resource has no status subresource. Default
   * false.
   */
  readonly status?: boolean;
}

/** What is known about the writes of a declaration beyond their verbs. Policies are generated from it. */
export interface ControlledWrites {
  readonly children: readonly ChildWrites[];
  readonly parents: readonly ParentWrites[];
  /** The permissions for writes that `children` and `parents` already describe in more detail. */
  readonly permissions: readonly PlacedPermission[];
}

/** The access to the API server that is needed by something other than a controller. */
export interface AccessDeclaration {
  /** The name used in explanations. */
  readonly name: string;
  /** The sources that are listed and watched. */
  readonly sources: readonly Source[];
  /** Other rights. Default: none. */
  readonly permissions?: readonly PlacedPermission[];
  /** If false, no Events are recorded about the objects of `sources`. Default true. */
  readonly recordsEvents?: boolean;
  /**
   * Resources whose definitions are installed and generated together with the definitions of the sources.
   * Default: none.
   */
  readonly definitions?: readonly DefinedResource[];
  /** What is known about the writes in addition to `permissions`. Default: nothing. */
  readonly writes?: ControlledWrites;
  /** The field managers of the writes. Default: `name`. */
  readonly fieldManagers?: readonly string[];
}

/** A declaration of requests to the API server. */
export type Declared = Controller | AccessDeclaration;
