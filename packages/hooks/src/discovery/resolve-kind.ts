import { ConfigurationError, type Resource } from 'chancery';
import { apiVersionOf, type KnownKinds } from 'chancery/internal';

/**
 * Finds a resource by a name such as `website` or `websites.example.com/v1` through discovery: see
 * `discover`.
 */
export type Discover = (name: string, signal: AbortSignal) => Promise<Resource>;

/** Finds the resource of a kind. */
export interface KindResolver {
  /** Resolves kinds without the network. */
  readonly known: KnownKinds;
  /**
   * The resource of `kind`. A hook may write the kind in upper or lower case, as a plural, or as a
   * short name. Known kinds need no request.
   *
   * @throws ConfigurationError `CONFIG` when the server has no such kind (`isUnknownResource` is
   * true), or when several groups have it; ApiError, AmbassadorError or ProtocolError when
   * discovery fails.
   */
  resolve(kind: string, apiVersion: string | undefined, signal: AbortSignal): Promise<Resource>;
}

/**
 * A resolver that calls `discover` for kinds that `known` does not contain. It remembers the
 * answers, but not the failures.
 */
export function kindResolver(known: KnownKinds, discover: Discover): KindResolver {
  const discovered = new Map<string, Resource>();
  return {
    known,
    async resolve(kind, apiVersion, signal) {
      const name = nameOf(kind, apiVersion);
      const found = known(kind, apiVersion) ?? discovered.get(name);
      if (found !== undefined) return found;
      const resource = await discover(name, signal);
      requireVersion(resource, kind, apiVersion);
      discovered.set(name, resource);
      return resource;
    },
  };
}

/**
 * A name that discovery understands. Discovery understands no name that is limited to the core
 * group.
 */
function nameOf(kind: string, apiVersion: string | undefined): string {
  if (apiVersion === undefined) return kind;
  const [version = '', group] = apiVersion.split('/').reverse();
  return group === undefined ? `${kind}/${version}` : `${kind}.${group}/${version}`;
}

function requireVersion(resource: Resource, kind: string, apiVersion: string | undefined): void {
  const served = apiVersionOf(resource);
  if (apiVersion === undefined || apiVersion === served) return;
  throw new ConfigurationError(
    `${apiVersion} has no kind ${JSON.stringify(kind)}: ${resource.kind} is in apiVersion ${served}`,
  );
}
