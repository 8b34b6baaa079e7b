import type { Controller, Permission } from './controller.ts';
import type { Source } from './source.ts';

/** A permission, and where it holds. */
export interface PlacedPermission extends Permission {
  /**
   * Namespaces, for a namespaced resource. Left out: the namespaces from the manager's settings.
   */
  readonly namespaces?: readonly string[];
}

/** What something other than a controller does at the API server. */
export interface AccessDeclaration {
  /** Names it in explanations. */
  readonly name: string;
  /** What it lists and watches. */
  readonly sources: readonly Source[];
  /** Its other rights. Default: none. */
  readonly permissions?: readonly PlacedPermission[];
}

/** A declaration of requests to the API server. */
export type Declared = Controller | AccessDeclaration;
