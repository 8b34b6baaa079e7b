/** What a path of the Kubernetes API asks for. */
export interface RequestPath {
  readonly group: string;
  readonly version: string;
  /** Undefined for every namespace, and for what is in none. */
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

const PATH =
  /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+)(?=\/[^/]+))?\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/;

/** Undefined for a path that names no resource, such as `/version` and `/apis/apps/v1`. */
export function requestPath(path: string): RequestPath | undefined {
  const [, group = '', version = '', namespace, plural = '', name, subresource] =
    PATH.exec(path) ?? [];
  return plural === '' ? undefined : { group, version, namespace, plural, name, subresource };
}

/** The path of a request. */
export function pathOf(request: RequestPath): string {
  const { group, version, namespace, plural, name, subresource } = request;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const tail = [name, subresource].filter((part) => part !== undefined).map((part) => `/${part}`);
  return `${root}${scope}/${plural}${tail.join('')}`;
}
