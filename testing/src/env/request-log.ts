import { parsePath } from '../apiserver/http/exchange/request-info.ts';

/** What RBAC calls a verb, as far as requests on objects show it. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** A request in the words of RBAC. Plain data. */
export interface LoggedRequest {
  readonly verb: Verb;
  /** `configmaps`, `deployments.apps`; empty for a path that is no resource, such as `/version`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** Without the query. */
  readonly path: string;
  /** Of a parameter sent twice, the last. */
  readonly query: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** Whom the embedded server took it to come from; undefined after a 401, and elsewhere. */
  readonly user: string | undefined;
}

/** Selects requests; a field that is absent matches any request. */
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

  /** Those that `filter` means, oldest first. Default: all. */
  of(filter: RequestFilter = {}): readonly LoggedRequest[] {
    const wanted = Object.entries(filter) as [keyof RequestFilter, string | undefined][];
    return this.#read().filter((request) =>
      wanted.every(([field, value]) => request[field] === value),
    );
  }

  /** How many `filter` means. */
  count(filter: RequestFilter = {}): number {
    return this.of(filter).length;
  }
}

/** @param target - path and query, as they stand in the request line. */
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
