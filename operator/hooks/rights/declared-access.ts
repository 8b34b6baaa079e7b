import type { Permission } from '../../controller/controller.ts';
import type { Source } from '../../controller/source.ts';
import type { KnownKinds } from '../discovery/resolve-kind.ts';
import type { Hook } from '../hook.ts';

/** A permission in certain namespaces. */
export interface NamespacedPermission extends Permission {
  /** Left out: wherever the sources are. */
  readonly namespaces?: readonly string[];
}

/** What hooks read and write. */
export interface DeclaredAccess {
  /** One for each resource, namespace and selectors. */
  readonly sources: readonly Source[];
  readonly permissions: readonly NamespacedPermission[];
  /** Kinds that only the API server knows: `HOOK: kind Website`. Empty when everything is known. */
  readonly unknown: readonly string[];
}

/** Reads follow from the configs, writes from the rights files. */
export declare function declaredAccess(hooks: readonly Hook[], known: KnownKinds): DeclaredAccess;
