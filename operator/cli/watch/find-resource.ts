import { discover, isUnknownResource, resourceFromPath } from '../../client/discovery.ts';
import { parseTypedName } from '../../client/typed-name.ts';
import type { Log } from '../../controller/reconciler.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { logStatus } from '../../manager/sources/status-log.ts';
import type { Resource } from '../../model/resource.ts';
import type { Transport } from '../../transport/transport.ts';
import { type Action, classify, NO_HISTORY } from '../../watch/policy/classify.ts';
import { Pace } from '../../watch/policy/pace.ts';
import { StatusReporter } from '../../watch/reflector-status.ts';

/** What a name or a path turned out to be. */
export interface FoundResource {
  readonly resource: Resource;
  /** From a path. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

interface FindResourceOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * The resource that a person typed, asked for until the API server answers.
 *
 * A path is exact, and needs no discovery: it is waited for until it is served. So is a name whose
 * group has a dot, because a custom resource may be installed later. Any other unknown name is a slip
 * of the pen.
 *
 * @throws ConfigurationError `CONFIG` for a name that the server does not know; the message lists
 *   what was nearest.
 * @throws `signal.reason` when aborted.
 */
export async function findResource(
  transport: Transport,
  text: string,
  { clock, log, signal }: FindResourceOptions,
): Promise<FoundResource> {
  const pace = new Pace(clock, Math.random);
  const reporter = new StatusReporter((status) => {
    const isRefused = status.reason === 'filtered' && !text.startsWith('/');
    logStatus(log, { resource: text, ...(isRefused && { hint: PATH_HINT }) }, status);
  });
  for (;;) {
    let failure: unknown;
    try {
      return await lookUp(transport, text, { clock, signal });
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
    const action = isUnknownResource(failure) && mayComeLater(text) ? UNSERVED : retry(failure);
    const delayMs = pace.delayMs(action);
    reporter.failed(action, delayMs, failure);
    await sleep(clock, delayMs, signal);
  }
}

/** A generated filter opens what an operator uses, which is no discovery of all that is served. */
const PATH_HINT =
  'a RESOURCE that is a path needs no discovery, such as /api/v1/namespaces/demo/configmaps';

async function lookUp(
  transport: Transport,
  text: string,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<FoundResource> {
  if (text.startsWith('/')) return resourceFromPath(transport, text, options);
  const resource = await discover(transport, text, options);
  return { resource, namespace: undefined, name: undefined };
}

/** What to do after a failure that is the way's or the server's; what is the user's is thrown. */
function retry(failure: unknown): Action {
  if (failure instanceof ConfigurationError) throw failure;
  return classify({ during: 'list', error: failure }, NO_HISTORY);
}

const UNSERVED: Action = { step: 'resume', wait: 'unserved', atLeastMs: 0, reason: 'unserved' };

function mayComeLater(text: string): boolean {
  if (text.startsWith('/')) return true;
  return parseTypedName(text).filters.some(({ group }) => group?.includes('.') === true);
}
