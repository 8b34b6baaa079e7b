import type { DefinedResource } from '../model/custom-resource-definition.ts';
import type { Resource } from '../model/resource.ts';
import type { Controller, Permission } from './controller.ts';
import type { Source } from './source.ts';

/** A permission, and where it holds. */
export interface PlacedPermission extends Permission {
  /**
   * Namespaces, for a namespaced resource. Left out: the namespaces from the manager's settings.
   */
  readonly namespaces?: readonly string[];
  /** True when no request is made, and admission only checks whether one would be allowed. */
  readonly unrequested?: true;
}

/** Objects of one resource that are written only while a parent is their controller. */
export interface ChildWrites {
  readonly resource: Resource;
  readonly parents: readonly Resource[];
  /**
   * `owners`: objects without a controller become children, and children are released; such a write changes owner
   * references and nothing else. `whole`: objects without a controller are taken with all their fields. Left out: neither.
   */
  readonly adopts?: 'owners' | 'whole';
  /** Labels that each of them has. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations that each of them has. Default: none. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What is written at parents, or at decorated objects, themselves. */
export interface ParentWrites {
  readonly resource: Resource;
  /** Finalizers that are added and removed. */
  readonly finalizers: readonly string[];
  /** Labels and annotations change, too. Default false. */
  readonly texts?: boolean;
  /** The status is a part of the object, because the resource has no subresource for it. Default false. */
  readonly status?: boolean;
}

/** What a declaration writes, as far as more is known of it than its verbs. Policies follow from it. */
export interface ControlledWrites {
  readonly children: readonly ChildWrites[];
  readonly parents: readonly ParentWrites[];
  /** Rights of which `children` and `parents` say what they are for. */
  readonly permissions: readonly PlacedPermission[];
}

/** What something other than a controller does at the API server. */
export interface AccessDeclaration {
  /** Names it in explanations. */
  readonly name: string;
  /** What it lists and watches. */
  readonly sources: readonly Source[];
  /** Its other rights. Default: none. */
  readonly permissions?: readonly PlacedPermission[];
  /** False: it records no Events about these objects. Default true. */
  readonly recordsEvents?: boolean;
  /** Resources whose definitions are installed and generated with those of its sources. Default: none. */
  readonly definitions?: readonly DefinedResource[];
  /** What is known of its writes beyond `permissions`. Default: nothing. */
  readonly writes?: ControlledWrites;
  /** Names under which it owns fields. Default: its name. */
  readonly fieldManagers?: readonly string[];
}

/** A declaration of requests to the API server. */
export type Declared = Controller | AccessDeclaration;
