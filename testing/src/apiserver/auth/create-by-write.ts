import type { ServedResource } from '../registry/served-resource.ts';
import { accessDenied } from './access.ts';
import type { Authorization } from './authorization.ts';
import type { Caller } from './user.ts';

/** An object that does not exist yet, and that an apply or a PUT will create. */
interface Absent {
  readonly served: ServedResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * Refuses the write if its caller may not create the object.
 *
 * @param caller - the sender of the write; undefined for the server's own writes, which are always allowed.
 * @throws ApiError 403.
 */
export function requireCreate(
  { authorization }: { readonly authorization: Authorization },
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
