import type { Resource } from '../../model/resource.ts';

/** The resource of a kind, without the network. Undefined: it is not known. */
export type KnownKinds = (kind: string, apiVersion?: string) => Resource | undefined;

/** Finds a resource by a name such as `website` or `websites.example.com/v1`: see `discover`. */
export type Discover = (name: string, signal: AbortSignal) => Promise<Resource>;

/** Finds the resource of a kind. */
export interface KindResolver {
  /** Without the network. */
  readonly known: KnownKinds;
  /**
   * The resource of `kind` as a hook writes it: any case, plural or short name. Kinds that are known cost nothing.
   *
   * @throws ConfigurationError `CONFIG` when the server has no such kind (`isUnknownResource` is true), or when several
   *   groups have it; ApiError, AmbassadorError or ProtocolError when discovery fails.
   */
  resolve(kind: string, apiVersion: string | undefined, signal: AbortSignal): Promise<Resource>;
}

/** Kinds of Kubernetes, and those of `definitions`: parsed CustomResourceDefinitions, other documents are ignored. */
export declare function knownKinds(definitions?: readonly unknown[]): KnownKinds;

/** Asks `discover` for kinds that `known` does not know, and keeps its answers. */
export declare function kindResolver(known: KnownKinds, discover: Discover): KindResolver;
