import type { ApiError } from 'chancery';
import { failure } from '../failures/failure.ts';
import { flag } from '../objects/go-query.ts';
import type { User } from './user.ts';

/** An action on a resource or subresource. A field without a value is ''. */
export interface ResourceAccess {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** An action on a path that is not the path of a resource, such as `/healthz`. */
export interface PathAccess {
  readonly verb: string;
  readonly path: string;
}

/** The action of a request. An authorizer allows or denies it. */
export type Access = ResourceAccess | PathAccess;

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Path segments after `namespaces/NAME` that belong to the Namespace itself. Any other segment in this
 * position is the plural of a resource in the Namespace.
 */
const OF_NAMESPACE: ReadonlySet<string | undefined> = new Set([undefined, 'status', 'finalize']);

/**
 * The action of a request. Whether the resource is served is not checked: a caller without rights gets 403
 * even for a resource that is not served, and only an authorized caller gets 404.
 *
 * @param path - the path as in the request line, still percent-encoded.
 */
export function accessOf(method: string, path: string, query: URLSearchParams): Access {
  const decoded = decode(path);
  const parts = decoded.replace(/^\/+|\/+$/g, '').split('/');
  const prefix = parts[0];
  const from = prefix === 'api' ? 1 : 2;
  if ((prefix !== 'api' && prefix !== 'apis') || parts.length < from + 2) {
    return { verb: method.toLowerCase(), path: decoded };
  }
  const group = prefix === 'api' ? '' : (parts[1] ?? '');
  const below = parts.slice(from + 1);
  const watched = below[0] === 'watch';
  const place = placeOf(watched ? below.slice(1) : below);
  return refined({ verb: watched ? 'watch' : (VERBS[method] ?? ''), group, ...place }, query);
}

function placeOf(parts: readonly string[]): Omit<ResourceAccess, 'verb' | 'group'> {
  const [first, second, third] = parts;
  const inNamespace = first === 'namespaces' && second !== undefined;
  const [resource = '', name = '', subresource = ''] =
    inNamespace && !OF_NAMESPACE.has(third) ? parts.slice(2) : parts;
  return { resource, name, subresource, namespace: inNamespace ? second : '' };
}

/**
 * Replaces the verb of a request that contains no name: `get` becomes `list` or `watch`, and `delete` becomes
 * `deletecollection`.
 */
function refined(access: ResourceAccess, query: URLSearchParams): ResourceAccess {
  if (access.name !== '') return access;
  if (access.verb === 'delete') return { ...access, verb: 'deletecollection' };
  if (access.verb !== 'get') return access;
  const verb = flag(query, 'watch') ? 'watch' : 'list';
  return { ...access, verb, name: selectedName(query.get('fieldSelector') ?? '') };
}

/** The object name in `metadata.name=…` of a field selector; '' if the selector has no such term. */
function selectedName(fieldSelector: string): string {
  for (const term of fieldSelector.split(',')) {
    const name = /^metadata\.name==?([^=!].*)$/.exec(term)?.[1];
    if (name !== undefined && !/[/%]/.test(name) && name !== '.' && name !== '..') return name;
  }
  return '';
}

/** The error 403 for an action, with the exact message of the API server. */
export function accessDenied(user: User, access: Access, reason: string): ApiError {
  const why = escaped(deniedText(user, access)) + (reason === '' ? '' : `: ${reason}`);
  if (!('resource' in access)) {
    return failure({
      code: 403,
      reason: 'Forbidden',
      message: `forbidden: ${why}`,
      details: {},
    });
  }
  const { group, resource, name } = access;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  return failure({
    code: 403,
    reason: 'Forbidden',
    message: `${qualified}${name === '' ? '' : ` ${quoted(name)}`} is forbidden: ${why}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      kind: resource,
    },
  });
}

function deniedText(user: User, access: Access): string {
  const who = `User ${quoted(user.name)} cannot ${access.verb}`;
  if (!('resource' in access)) return `${who} path ${quoted(access.path)}`;
  const { group, namespace } = access;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`;
  return `${who} resource ${quoted(resourcePath(access))} in API group ${quoted(group)} ${where}`;
}

/** The resource and, if there is one, the subresource: `pods` or `pods/log`. */
export function resourcePath({ resource, subresource }: ResourceAccess): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Escapes a message for HTML pages, as the server does. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
