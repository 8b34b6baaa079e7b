import { parsePath } from '../apiserver/http/exchange/request-info.ts';

/** The RBAC verb of a request on objects. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** A request described in the terms of RBAC, as plain data. */
export interface LoggedRequest {
  readonly verb: Verb;
  /**
   * The resource, such as `configmaps` or `deployments.apps`. Empty for a path without a resource, such as
   * `/version`.
   */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The path without the query. */
  readonly path: string;
  /** The query. If a parameter is sent twice, the last value counts. */
  readonly query: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** The user that the embedded server identified; undefined after a 401, and on other servers. */
  readonly user: string | undefined;
}

/**
 * Selects requests. An absent field matches any request. A `resource` without a group, such as `deployments`,
 * matches in every group.
 */
export type RequestFilter = Partial<
  Pick<
    LoggedRequest,
    'verb' | 'resource' | 'namespace' | 'name' | 'subresource' | 'userAgent' | 'user'
  >
>;

/** Requests in the order in which a server received them. */
export class RequestLog {
  readonly #read: () => readonly LoggedRequest[];

  constructor(read: () => readonly LoggedRequest[]) {
    this.#read = read;
  }

  /** The requests that match `filter`, oldest first. If `filter` is omitted, all requests. */
  of(filter: RequestFilter = {}): readonly LoggedRequest[] {
    const wanted = Object.entries(filter) as [keyof RequestFilter, string | undefined][];
    return this.#read().filter((request) =>
      wanted.every(
        ([field, value]) =>
          request[field] === value || (field === 'resource' && isPlural(value, request.resource)),
      ),
    );
  }

  /** The number of requests that match `filter`. */
  count(filter: RequestFilter = {}): number {
    return this.of(filter).length;
  }
}

/** True when `plural` is `resource` without its group. */
export function isPlural(plural: string | undefined, resource: string): boolean {
  return plural !== undefined && plural !== '' && resource.startsWith(`${plural}.`);
}

/** @param target - path and query, as in the request line. */
export function loggedRequest(
  method: string,
  target: string,
  userAgent: string,
  user?: string,
): LoggedRequest {
  const [path = '', search = ''] = target.split('?', 2);
  const query = Object.fromEntries(new URLSearchParams(search));
  const info = parsePath(path);
  const group = info?.group ?? '';
  const plural = info?.resource ?? '';
  return {
    verb: verbOf(method, plural !== '' && info?.name === undefined, isWatch(query, info?.watch)),
    resource: group === '' ? plural : `${plural}.${group}`,
    namespace: info?.namespace,
    name: info?.name,
    subresource: info?.subresource,
    path,
    query,
    userAgent,
    user,
  };
}

function verbOf(method: string, isCollection: boolean, watches: boolean): Verb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return isCollection ? 'deletecollection' : 'delete';
  }
  if (watches) return 'watch';
  return isCollection ? 'list' : 'get';
}

function isWatch({ watch }: LoggedRequest['query'], deprecatedPath = false): boolean {
  return watch === undefined ? deprecatedPath : watch !== 'false' && watch !== '0';
}
