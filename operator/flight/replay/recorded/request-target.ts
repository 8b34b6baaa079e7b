import { objectKey } from '../../../model/object.ts';

/** What a request refers to, according to its path. */
export interface RequestTarget {
  /** The path of the collection over all namespaces, such as `/apis/apps/v1/deployments`. */
  readonly collection: string;
  readonly namespace: string | undefined;
  /** Undefined if the request refers to a collection. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/**
 * The target of a path. Undefined if the path is neither the path of an object nor of a collection, such as a
 * path of discovery.
 */
export function requestTarget(path: string): RequestTarget | undefined {
  const [pathname = '', search = ''] = path.split('?');
  const parts = pathname.split('/').slice(1).map(decodeURIComponent);
  const head = parts[0] === 'api' ? parts.splice(0, 2) : parts.splice(0, 3);
  const isGroup = head[0] === 'apis' && head.length === 3;
  if (!isGroup && !(head[0] === 'api' && head.length === 2)) return undefined;
  // `/api/v1/namespaces/demo` is an object, and `/api/v1/namespaces/demo/pods` is a collection in that
  // namespace.
  const isInNamespace = parts[0] === 'namespaces' && parts.length > 2 && !isOfNamespace(parts[2]);
  const namespace = isInNamespace ? parts[1] : undefined;
  const [plural, name, ...more] = isInNamespace ? parts.slice(2) : parts;
  if (plural === undefined || plural === '') return undefined;
  return {
    collection: `/${[...head, plural].join('/')}`,
    namespace,
    name,
    subresource: more.length > 0 ? more.join('/') : undefined,
    query: new URLSearchParams(search),
  };
}

/** True for the name of a subresource of Namespaces. */
function isOfNamespace(part: string | undefined): boolean {
  return part === 'status' || part === 'finalize';
}

/** A string that identifies the object to which a request refers. */
export function objectIdOf({ collection, namespace, name }: RequestTarget): string {
  return `${collection} ${objectKey(namespace, name ?? '')}`;
}

/**
 * A string that identifies the objects of a list or a watch. It is the same for a list and a watch of the
 * same objects.
 */
export function collectionIdOf({ collection, namespace = '', query }: RequestTarget): string {
  const selectors = ['labelSelector', 'fieldSelector'].map((name) => query.get(name) ?? '');
  return JSON.stringify([collection, namespace, ...selectors]);
}
