import { ApiError } from 'chancery/internal-objects';
import { accessDenied, accessOf } from '../auth/access.ts';
import { impersonated } from '../auth/impersonation.ts';
import type { Caller } from '../auth/user.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Exchange } from './exchange/exchange.ts';

/**
 * Finds the sender of a request, and refuses a request that the sender may not make. This is done before any
 * object is looked up, because a caller without rights must not learn whether an object exists.
 *
 * @param onPort - the sender of all requests on this port that have no credentials.
 * @throws ApiError 401 or 403.
 */
export function admit(
  exchange: Exchange,
  { authentication, authorization }: Cluster,
  onPort: Caller | undefined,
): Caller {
  const { request, method, path, query } = exchange;
  const sender = authentication.callerOf(exchange.header('authorization'), onPort);
  exchange.sender = sender;
  const access = accessOf(method, path, query);
  try {
    const caller = impersonated(request, sender, access, authorization);
    const { allowed, reason } = authorization.decide(caller, access);
    if (!allowed) throw accessDenied(caller, access, reason);
    return caller;
  } catch (error) {
    if (error instanceof ApiError) {
      exchange.response.setHeader('x-content-type-options', 'nosniff');
    }
    throw error;
  }
}
