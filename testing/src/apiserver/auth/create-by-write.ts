import type { Cluster } from '../cluster.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { accessDenied } from './access.ts';
import type { Caller } from './user.ts';

/** An object that a write is about to create, though it is no create: an apply, or a PUT of a Lease. */
interface Absent {
  readonly served: ServedResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * Refuses a write that would create to those who may not create.
 *
 * @param caller - undefined for the server's own writes, which may do everything.
 * @throws ApiError 403.
 */
export function requireCreate(
  { authorization }: Cluster,
  { served, namespace = '', name }: Absent,
  caller: Caller | undefined,
): void {
  if (caller === undefined) return;
  const access = {
    verb: 'create',
    group: served.group,
    resource: served.plural,
    subresource: '',
    namespace,
    name,
  };
  const { allowed, reason } = authorization.decide(caller, access);
  if (!allowed) throw accessDenied(caller, access, reason);
}
