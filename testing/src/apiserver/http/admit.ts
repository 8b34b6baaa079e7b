import { ApiError } from 'chancery';
import { accessDenied, accessOf } from '../auth/access.ts';
import { impersonated } from '../auth/impersonation.ts';
import type { Caller } from '../auth/user.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Exchange } from './exchange/exchange.ts';

/**
 * Finds out who sends a request, and refuses what he may not do: before anything is looked up, as
 * nobody is told that something is not there who may not know that it is.
 *
 * @param onPort - who sends the requests of this port, unless they say otherwise.
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
  } catch (refusal) {
    if (refusal instanceof ApiError) {
      exchange.response.setHeader('x-content-type-options', 'nosniff');
    }
    throw refusal;
  }
}
