import type { DesiredStatus } from '../controller/reconciler.ts';
import type { KubernetesObject } from '../model/object.ts';
import { resourceName } from '../model/resource.ts';
import type { DesiredChild } from './child.ts';

/** The desired state that `sync` returns. */
export interface SyncResult<P extends KubernetesObject> {
  /**
   * Every child that should exist, made with `child`. Existing children that are not in the list are
   * deleted; `[]` deletes all. An answer without this field is an error and changes nothing.
   */
  readonly children: readonly DesiredChild[];
  /** The parent's status, as `setStatus` takes it. Left out: the status stays as it is. */
  readonly status?: DesiredStatus<P>;
  /** Milliseconds after which `sync` is called again without a change. For results that depend on time. */
  readonly requeueAfterMs?: number;
}

/** Identifies a child among all children of a parent. */
export function childIdentity(
  resource: DesiredChild['resource'],
  metadata: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): string {
  return JSON.stringify([resourceName(resource), metadata.namespace ?? '', metadata.name ?? '']);
}
