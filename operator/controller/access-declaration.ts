import type { DefinedResource } from '../model/custom-resource-definition.ts';
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
}

/** A declaration of requests to the API server. */
export type Declared = Controller | AccessDeclaration;
