import { type Clock, systemClock } from '../core/clock.ts';
import { AmbassadorError, OperatorError } from '../core/errors.ts';
import { nearMatches } from '../core/text/near-match.ts';
import { isUnserved } from '../model/not-found.ts';
import { apiVersionOf, isBuiltInGroup, type Resource } from '../model/resource.ts';
import type { Transport } from '../transport/transport.ts';
import {
  type ApiResource,
  type DiscoveryContext,
  fetchGroups,
  fetchResources,
} from './discovery-documents.ts';

/** Maximum number of names that are listed if no name is similar. */
const MAX_NAMES = 5;

/**
 * Why the API server does not serve `resource`, and what to do about it, in one sentence for people: a
 * misspelt plural, another version, a definition that is not installed, or a server that is not a Kubernetes
 * API. Reads discovery, with at most three requests. Undefined when discovery gives no answer, for example
 * because the filter of the ambassador refuses it, and when the API server serves the resource meanwhile.
 *
 * @throws `signal.reason` when aborted.
 */
export async function explainUnserved(
  transport: Transport,
  resource: Resource,
  { signal, clock = systemClock }: { readonly signal: AbortSignal; readonly clock?: Clock },
): Promise<string | undefined> {
  try {
    return await explained({ transport, clock, signal }, resource);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OperatorError)) throw error;
    const isRefused = error instanceof AmbassadorError && error.code === 'AMBASSADOR_FORBIDDEN';
    return isRefused ? notInstalled(resource, '') : undefined;
  }
}

async function explained(
  context: DiscoveryContext,
  resource: Resource,
): Promise<string | undefined> {
  const { group, version, plural } = resource;
  const served = await unlessMissing(() => fetchResources(context, resource));
  if (served !== undefined) {
    const isServed = served.some((each) => each.plural === plural);
    return isServed ? undefined : wrongPlural(resource, served);
  }
  const groups = await unlessMissing(() => fetchGroups(context));
  if (groups === undefined) {
    return (
      'GET /api and GET /apis are not found at the API URL: another server than a Kubernetes API listens ' +
      'there. Look which one has the port, or set CHANCERY_API_URL'
    );
  }
  const known = groups.find((each) => each.group === group);
  if (known !== undefined) {
    const versions = known.versions.filter((each) => each !== '').join(', ');
    return `the API server has the group ${group} in version ${versions}, not in ${version}: change the version, or upgrade the CustomResourceDefinition`;
  }
  const names = groups.map((each) => each.group).filter((name) => name !== '');
  const near = nearMatches(group.split('.', 1)[0] ?? '', names);
  return notInstalled(resource, near.length === 0 ? '' : `; near matches: ${near.join(', ')}`);
}

function wrongPlural({ kind, plural, ...rest }: Resource, served: readonly ApiResource[]): string {
  const ofKind = served.filter((each) => each.kind === kind).map((each) => each.plural);
  const names = served.map((each) => each.plural);
  const near = [...new Set([...ofKind, ...nearMatches(plural, names)])];
  const hint =
    near.length > 0
      ? `did you mean ${near.join(' or ')}?`
      : `it has ${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}`;
  return `the API server has ${apiVersionOf(rest)}, and no ${plural} in it; ${hint}`;
}

function notInstalled(resource: Resource, hint: string): string {
  const { group, plural } = resource;
  if (isBuiltInGroup(resource)) {
    return `the API server does not have ${apiVersionOf(resource)}: it is older than this resource, or has it turned off${hint}`;
  }
  return (
    `no CustomResourceDefinition ${plural}.${group} is installed${hint}. Apply it (kubectl apply -f), or set ` +
    'CHANCERY_INSTALL_CRDS=true if the resource carries its definition'
  );
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isUnserved(error)) return undefined;
    throw error;
  }
}
