/** The parts of a Kubernetes API path. */
export interface RequestPath {
  readonly group: string;
  readonly version: string;
  /** Undefined for a request across all namespaces, and for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

const PATH =
  /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+)(?=\/[^/]+))?\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/;

/**
 * If one of these words follows a namespace in a path, Kubernetes treats it as a subresource of the
 * namespace, and not as a resource in the namespace.
 */
const OF_NAMESPACE: ReadonlySet<string> = new Set(['finalize', 'status']);

/** Parses a path. Undefined for a path without a resource, such as `/version` and `/apis/apps/v1`. */
export function requestPath(path: string): RequestPath | undefined {
  const [, group = '', version = '', namespace, plural = '', name, subresource] =
    PATH.exec(path) ?? [];
  if (plural === '') return undefined;
  const isOfNamespace = group === '' && namespace !== undefined && name === undefined;
  if (isOfNamespace && OF_NAMESPACE.has(plural)) {
    const ofNamespace = { plural: 'namespaces', name: namespace, subresource: plural };
    return { group, version, namespace: undefined, ...ofNamespace };
  }
  return { group, version, namespace, plural, name, subresource };
}

export function pathOf(request: RequestPath): string {
  const { group, version, namespace, plural, name, subresource } = request;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const tail = [name, subresource].filter((part) => part !== undefined).map((part) => `/${part}`);
  return `${root}${scope}/${plural}${tail.join('')}`;
}
