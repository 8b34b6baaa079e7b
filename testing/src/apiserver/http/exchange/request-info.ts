/** The components of the URL path of a resource or object in the API. */
export interface RequestInfo {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly resource: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** True for a deprecated path with `/watch/`. */
  readonly watch: boolean;
}

/**
 * Parses a path. Trailing slashes are ignored. Between two slashes in a row there is an empty segment, such
 * as an empty resource name.
 *
 * @returns undefined for a path that is not below `/api/<version>/` or `/apis/<group>/<version>/`.
 */
export function parsePath(path: string): RequestInfo | undefined {
  const [root, ...below] = withoutLastSlashes(path).split('/').slice(1).map(decode);
  if (root !== 'api' && (root !== 'apis' || below[0] === '')) return undefined;
  const [group = '', version, ...named] = root === 'api' ? ['', ...below] : below;
  const watch = named[0] === 'watch';
  const place = watch ? named.slice(1) : named;
  if (version === undefined || place.length === 0) return undefined;
  return { group, version, watch, ...placeOf(place) };
}

/** The path without trailing slashes, for a router. */
export function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

function placeOf(parts: readonly string[]): Omit<RequestInfo, 'group' | 'version' | 'watch'> {
  const [first = '', second, third, fourth, ...more] = parts;
  const inNamespace =
    first === 'namespaces' &&
    second !== undefined &&
    third !== undefined &&
    !OF_NAMESPACE.has(third);
  if (!inNamespace) {
    const subresource = [third, fourth, ...more].filter((part) => part !== undefined).join('/');
    return {
      namespace: undefined,
      resource: first,
      name: second,
      subresource: subresource || undefined,
    };
  }
  const subresource = more.join('/') || undefined;
  return { namespace: second, resource: third, name: fourth, subresource };
}

/**
 * The subresources of a namespace. All other paths below `/namespaces/<name>/` are paths of resources in the
 * namespace.
 */
const OF_NAMESPACE: ReadonlySet<string> = new Set(['status', 'finalize']);

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
