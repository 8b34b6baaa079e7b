import { NEVER_ABORTED } from '../core/abort.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { AmbassadorError, ConfigurationError, ProtocolError } from '../core/errors.ts';
import { nearMatches } from '../core/text/near-match.ts';
import { isUnserved } from '../model/not-found.ts';
import {
  apiVersionOf,
  collectionPath,
  defineResource,
  isBuiltInGroup,
  type Resource,
  resourceName,
} from '../model/resource.ts';
import { ApiError } from '../model/status.ts';
import type { Transport } from '../transport/transport.ts';
import { readAnswer } from './answer.ts';
import type { CallOptions } from './client.ts';
import {
  type ApiGroup,
  type ApiResource,
  type DiscoveryContext,
  fetchGroups,
  fetchHasSubresource,
  fetchKinds,
  fetchResources,
} from './discovery-documents.ts';
import { type GroupVersionFilter, parseTypedName } from './list-answer.ts';

export interface DiscoverOptions {
  readonly signal: AbortSignal;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Finds the resource for a name such as `cm`, `configmap`, `ConfigMap`, `deployments.apps`,
 * `deployments.v1.apps` or `deployments.apps/v1`.
 *
 * The core group has priority over all others, preferred versions over other versions, and a plural over a
 * singular, a short name and a kind. Reads `/api`, `/apis` and the list of every group and version that may
 * contain the name. For a name with group and version, only the list of that group and version is read, if it
 * contains the name, because a generated filter allows no other paths. An aggregated API that does not answer
 * is skipped.
 *
 * @throws ConfigurationError `CONFIG` when no group has the name, or several groups have it. The message
 *   lists the nearest matches.
 * @throws ApiError, AmbassadorError or ProtocolError when discovery itself fails.
 */
export async function discover(
  transport: Transport,
  text: string,
  { signal, clock = systemClock }: DiscoverOptions,
): Promise<Resource> {
  const { name, filters } = parseTypedName(text);
  const context = { transport, clock, signal };
  const wanted = exactly(filters);
  const [exact] = bestMatches(await resourcesOf(context, wanted, []), name);
  if (exact !== undefined) return toResource(exact);
  const groups = await fetchGroups(context).catch((error: unknown) => {
    if (wanted.length > 0 && isRefused(error)) throw unknown(text, [], []);
    throw error;
  });
  const silent: string[] = [];
  for (const round of candidateRounds(groups, filters)) {
    const found = bestMatches(await resourcesOf(context, round, silent), name);
    const [first] = found;
    if (found.length > 1) throw ambiguous(text, found);
    if (first !== undefined) return toResource(first);
  }
  const everything = candidateRounds(groups, [{}]).flat();
  const served = await resourcesOf(context, everything, []);
  throw unknown(text, nearMatches(name, served.map(resourceName)), silent);
}

/**
 * The resource with this group, version and plural. Undefined when the API server does not serve it now. Only
 * the list of that group and version is read, which a generated filter allows.
 *
 * @throws ApiError, AmbassadorError or ProtocolError when discovery fails.
 */
export async function discoverExactly(
  transport: Transport,
  { plural, ...groupVersion }: Pick<Resource, 'group' | 'version' | 'plural'>,
  { signal, clock = systemClock }: DiscoverOptions,
): Promise<Resource | undefined> {
  try {
    const served = await fetchResources({ transport, clock, signal }, groupVersion);
    const found = served.find((each) => each.plural === plural);
    return found && toResource(found);
  } catch (error) {
    if (isUnserved(error)) return undefined;
    throw error;
  }
}

/**
 * True when the API server serves a subresource of `resource`, such as `status`.
 *
 * @throws ApiError, AmbassadorError or ProtocolError when discovery fails.
 */
export function hasSubresource(
  transport: Transport,
  resource: Resource,
  subresource: string,
  { signal, clock = systemClock }: DiscoverOptions,
): Promise<boolean> {
  return fetchHasSubresource({ transport, clock, signal }, resource, subresource);
}

type GroupVersion = Pick<ApiResource, 'group' | 'version'>;

/** The group and version in a resource name that contains both. Empty for any other name. */
function exactly([filter, ...others]: readonly GroupVersionFilter[]): readonly GroupVersion[] {
  const { group, version } = filter ?? {};
  if (others.length > 0 || group === undefined || version === undefined) return [];
  return [{ group, version }];
}

/** The search order: the core group, then preferred versions, then all others. */
function candidateRounds(
  groups: readonly ApiGroup[],
  filters: readonly GroupVersionFilter[],
): readonly (readonly GroupVersion[])[] {
  const rounds: [GroupVersion[], GroupVersion[], GroupVersion[]] = [[], [], []];
  for (const { group, versions } of groups) {
    const allowed = versions.filter((version) =>
      filters.some(
        (filter) =>
          (filter.group === undefined || filter.group === group) &&
          (filter.version === undefined || filter.version === version),
      ),
    );
    for (const [at, version] of allowed.entries()) {
      rounds[group === '' ? 0 : at === 0 ? 1 : 2].push({ group, version });
    }
  }
  return rounds;
}

/**
 * The resources of all `groupVersions`. A group and version that fails is added to `silent`, because an
 * aggregated API that is down must not hide the resources of all other APIs.
 */
async function resourcesOf(
  context: DiscoveryContext,
  groupVersions: readonly GroupVersion[],
  silent: string[],
): Promise<readonly ApiResource[]> {
  const lists = await Promise.all(
    groupVersions.map(async (groupVersion) => {
      try {
        return await fetchResources(context, groupVersion);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        silent.push(apiVersionOf(groupVersion));
        return [];
      }
    }),
  );
  return lists.flat();
}

/**
 * The resources that match `name` best, one per group. A match of the plural is the best, then of the
 * singular, of a short name, and of the kind.
 */
function bestMatches(resources: readonly ApiResource[], name: string): readonly ApiResource[] {
  const isMatch: readonly ((resource: ApiResource) => boolean)[] = [
    ({ plural }) => plural === name,
    ({ singular }) => singular === name,
    ({ shortNames }) => shortNames.includes(name),
    ({ kind }) => kind.toLowerCase() === name,
  ];
  for (const matches of isMatch) {
    const found = new Map<string, ApiResource>();
    for (const resource of resources.filter(matches)) {
      if (!found.has(resource.group)) found.set(resource.group, resource);
    }
    if (found.size > 0) return [...found.values()];
  }
  return [];
}

export interface DiscoveredPath {
  readonly resource: Resource;
  /** Undefined for all namespaces, or if the resource is cluster-scoped. */
  readonly namespace: string | undefined;
  /** Undefined when the path is the path of a collection. */
  readonly name: string | undefined;
}

const RESOURCE_PATH =
  /^\/(?:api\/(?<core>[^/]+)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))(?:\/namespaces\/(?<namespace>[^/]+)(?=\/))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?\/?$/;

/**
 * The resource, namespace and name of a URL path such as `/api/v1/namespaces/demo/configmaps` or
 * `/apis/apps/v1/deployments`. Reads at most one object at the path to learn the kind, so a caller that may
 * list the objects does not need access to discovery. An empty list of a custom resource does not tell the
 * kind. In this case the discovery document of its group and version is read, if that is allowed.
 * `namespaced` of the resource is true if the path contains a namespace.
 *
 * @throws ConfigurationError `CONFIG` when `path` is not the path of a resource or object, or when the server
 *   does not serve `path`; `isUnknownResource` recognises the second case.
 * @throws ApiError, AmbassadorError or ProtocolError when the list or discovery itself fails.
 */
export async function resourceFromPath(
  transport: Transport,
  path: string,
  { signal, clock = systemClock }: DiscoverOptions,
): Promise<DiscoveredPath> {
  const { core, group = '', version = core, namespace, plural, name } = partsOf(path);
  if (version === undefined || plural === undefined) {
    throw new ConfigurationError(
      `invalid resource path ${JSON.stringify(path)}: expected /api/VERSION/PLURAL or ` +
        '/apis/GROUP/VERSION/PLURAL, with /namespaces/NAMESPACE before the plural where it applies',
    );
  }
  const names = { group, version, plural, namespaced: namespace !== undefined };
  try {
    const kind = await kindOf({ transport, clock, signal }, names, { namespace, name });
    return { resource: defineResource({ ...names, kind }), namespace, name };
  } catch (error) {
    if (isUnserved(error)) throw unknown(path, [], []);
    throw error;
  }
}

type Names = Omit<Resource, 'kind' | 'objects'>;

async function kindOf(
  context: DiscoveryContext,
  names: Names,
  part: { readonly namespace: string | undefined; readonly name: string | undefined },
): Promise<string> {
  const path = collectionPath({ ...names, kind: '' }, part.namespace);
  const { ofItem, ofList } = await fetchKinds(context, path, part.name);
  if (ofItem !== undefined) return ofItem;
  // The kind of a custom resource cannot be derived from its list, because a definition can choose any kind
  // for its lists.
  const named = isBuiltInGroup(names) ? undefined : await servedKind(context, names);
  const kind = named ?? ofList;
  if (kind !== undefined) return kind;
  throw new ProtocolError('the answer is not a list', { code: 'DECODE', context: { path } });
}

/** The kind according to discovery. Undefined when discovery does not contain the resource, or is refused. */
async function servedKind(context: DiscoveryContext, names: Names): Promise<string | undefined> {
  try {
    const served = await fetchResources(context, names);
    return served.find(({ plural }) => plural === names.plural)?.kind;
  } catch (error) {
    if (error instanceof ApiError || isRefused(error)) return undefined;
    throw error;
  }
}

/** True when the ambassador's filter does not allow the path. */
function isRefused(error: unknown): boolean {
  return error instanceof AmbassadorError && error.code === 'AMBASSADOR_FORBIDDEN';
}

/** The key in the context of an error that marks a valid name which discovery did not find. */
const UNKNOWN = 'unknownResource';

/** True when discovery worked, but the server does not have the resource. The server may serve it later. */
export function isUnknownResource(error: unknown): boolean {
  return error instanceof ConfigurationError && UNKNOWN in error.context;
}

function partsOf(path: string): Readonly<Record<string, string | undefined>> {
  return RESOURCE_PATH.exec(path)?.groups ?? {};
}

function toResource({ group, version, plural, kind, namespaced }: ApiResource): Resource {
  return defineResource({ group, version, plural, kind, namespaced });
}

function ambiguous(text: string, found: readonly ApiResource[]): ConfigurationError {
  const names = found.map(resourceName).join(', ');
  return new ConfigurationError(`${JSON.stringify(text)} is ambiguous: it may be ${names}`);
}

function unknown(
  text: string,
  near: readonly string[],
  silent: readonly string[],
): ConfigurationError {
  const hint = near.length === 0 ? '' : `; near matches: ${near.join(', ')}`;
  const gaps = silent.length === 0 ? '' : `; not answering: ${silent.join(', ')}`;
  return new ConfigurationError(
    `the API server has no resource ${JSON.stringify(text)}${hint}${gaps}`,
    { context: { [UNKNOWN]: text } },
  );
}

/**
 * The version that an API server reports. It is only a hint for people: forks and proxies may report
 * anything.
 */
export interface ServerVersion {
  /** The whole version, for example `v1.33.1`. Empty when the server does not send it. */
  readonly gitVersion: string;
  /** Undefined when the server does not send a number. */
  readonly major: number | undefined;
  /** The minor version, for example `33`. It is also `33` if the server sends `33+`. */
  readonly minor: number | undefined;
}

/**
 * The version of the API server, from `GET /version`. For logs and explanations in errors only. The toolkit
 * does not depend on the version: it learns a server's abilities from the server's answers.
 *
 * @throws the same errors as `Reader`. The ambassador's filter may refuse the path.
 */
export async function serverVersion(
  transport: Transport,
  { clock, signal = NEVER_ABORTED }: CallOptions & { readonly clock: Clock },
): Promise<ServerVersion> {
  const headers = { accept: 'application/json' };
  const request = { method: 'GET', path: '/version', headers, purpose: 'call', signal } as const;
  const { gitVersion, major, minor } = await readAnswer(await transport.send(request), clock, {
    asked: request,
  });
  return {
    gitVersion: typeof gitVersion === 'string' ? gitVersion : '',
    major: numberOf(major),
    minor: numberOf(minor),
  };
}

/**
 * Removes the `+` from a number such as `33+`. Servers that were built between two releases report such
 * numbers.
 */
function numberOf(value: unknown): number | undefined {
  const digits = typeof value === 'string' ? /^\d{1,4}/.exec(value)?.[0] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
