import { ConfigurationError, OperatorError } from '../core/errors.ts';
import type { KubernetesObject, Target } from '../model/object.ts';
import { collectionPath, objectPath, type Resource, resourceName } from '../model/resource.ts';
import type { TransportRequest } from '../transport/transport.ts';
import { type Call, HTTP_METHODS, type RemoveCall, type WriteCall } from './call.ts';
import type { DeleteOptions } from './client.ts';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** The field manager and the field validation of a client's writes. */
export interface WriteDefaults {
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation | undefined;
}

/** The HTTP request for a call. A body always has a content type. */
export interface RestRequest {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

export type ListCall = Extract<Call, { readonly verb: 'list' }>;

const CONTENT_TYPES = {
  object: 'application/json',
  /** JSON is valid YAML, and every server accepts this content type for an apply. */
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
} as const;

/**
 * The HTTP request for `call`.
 *
 * @throws ConfigurationError `CONFIG` for a missing or superfluous namespace, see `requireScope`.
 * @throws OperatorError `USER_CODE` for an update without `metadata.resourceVersion` or `force`.
 */
export function requestOf(call: Exclude<Call, ListCall>, defaults: WriteDefaults): RestRequest {
  switch (call.verb) {
    case 'get':
    case 'find':
      return { method: 'GET', path: pathOfObject(call.resource, call.target) };
    case 'delete':
    case 'evict':
      return removalRequest(call, defaults);
    default:
      return writeRequest(call, defaults);
  }
}

/**
 * The request for one page of a list.
 *
 * @param limit - objects per page; undefined for a single page with all objects.
 */
export function pageRequest(
  { resource, options: { namespace, labelSelector, fieldSelector } }: ListCall,
  limit: number | undefined,
  continueToken: string | undefined,
): RestRequest {
  const query = { labelSelector, fieldSelector, limit, continue: continueToken };
  return { method: 'GET', path: withQuery(pathOfCollection(resource, namespace), query) };
}

function writeRequest(
  call: WriteCall,
  { fieldManager, fieldValidation }: WriteDefaults,
): RestRequest {
  const { contentType, body } = contentOf(call);
  const { options } = call;
  const query: QueryParameters = {
    fieldManager: options.fieldManager ?? fieldManager,
    dryRun: options.dryRun === true ? 'All' : undefined,
    force: call.verb === 'apply' ? call.options.force : undefined,
    fieldValidation,
  };
  const path = withQuery(pathOfWrite(call), query);
  return { method: HTTP_METHODS[call.verb], path, contentType, body };
}

function pathOfWrite(call: WriteCall): string {
  const { resource, options } = call;
  if (call.verb === 'patch') return pathOfObject(resource, call.target, options.subresource);
  const { metadata } = call.object;
  const isNew = call.verb === 'create' && options.subresource === undefined;
  if (isNew) return pathToCreate(resource, metadata.namespace);
  return pathOfObject(resource, metadata, options.subresource);
}

function contentOf(call: WriteCall): { readonly contentType: string; readonly body: object } {
  switch (call.verb) {
    case 'create':
      return { contentType: CONTENT_TYPES.object, body: call.object };
    case 'apply': {
      // The server refuses an apply that contains managedFields, and objects that were read from the server
      // contain them.
      const { managedFields: _, ...metadata } = call.object.metadata;
      return { contentType: CONTENT_TYPES.apply, body: { ...call.object, metadata } };
    }
    case 'update':
      if (call.options.force !== true) requireResourceVersion(call.resource, call.object);
      return {
        contentType: CONTENT_TYPES.object,
        body: call.options.force === true ? unversioned(call.object) : call.object,
      };
    case 'patch':
      return { contentType: CONTENT_TYPES[call.patch.type], body: call.patch.body };
  }
}

function removalRequest(call: RemoveCall, { fieldManager }: WriteDefaults): RestRequest {
  const { resource, target, options } = call;
  const contentType = CONTENT_TYPES.object;
  const method = HTTP_METHODS[call.verb];
  const dryRun = options.dryRun === true ? 'All' : undefined;
  if (call.verb === 'delete') {
    // `dryRun` is also written into the query. The server reads it only from the body, but its access log
    // contains the query.
    const path = withQuery(pathOfObject(resource, target), { dryRun });
    const body = deleteBody(call.options);
    return body === undefined ? { method, path } : { method, path, contentType, body };
  }
  const { preconditions } = options;
  return {
    method,
    path: withQuery(pathOfObject(resource, target, 'eviction'), { fieldManager, dryRun }),
    contentType,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: target.name, namespace: target.namespace },
      ...(preconditions === undefined ? {} : { deleteOptions: { preconditions } }),
    },
  };
}

/**
 * The body of a delete. Undefined if there are no options, because the proxy itself can repeat a request
 * without a body after a GOAWAY.
 */
function deleteBody({ signal: _, dryRun, ...rest }: DeleteOptions): object | undefined {
  const deleteOptions = { ...rest, ...(dryRun === true && { dryRun: ['All'] }) };
  if (Object.keys(deleteOptions).length === 0) return undefined;
  return { apiVersion: 'v1', kind: 'DeleteOptions', ...deleteOptions };
}

/**
 * Requires the resourceVersion that was read. Without it, an update could overwrite changes that other
 * writers have made since then.
 */
function requireResourceVersion(resource: Resource, { metadata }: KubernetesObject): void {
  if ((metadata.resourceVersion ?? '') !== '') return;
  throw new OperatorError('update needs metadata.resourceVersion, or force', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { resource: resourceName(resource), name: metadata.name },
  });
}

/**
 * `object` without its resourceVersion. An update with the result overwrites the object, whatever its version
 * is.
 */
function unversioned(object: KubernetesObject): KubernetesObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Query parameters. Parameters that are undefined, false or empty are omitted. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** `path`, followed by `?` and the parameters if there are any. */
export function withQuery(path: string, parameters: QueryParameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === false || value === '') continue;
    query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/**
 * URL path of one object, or of one of its subresources.
 *
 * @throws ConfigurationError `CONFIG` when a namespace is missing, or is passed for a cluster-scoped
 *   resource, because the path would then be the path of another object.
 */
function pathOfObject(resource: Resource, target: Target, subresource?: string): string {
  requireScope(resource, target.namespace, resource.namespaced);
  return objectPath(resource, target, subresource);
}

/** URL path for creating objects; see `pathOfObject`. */
function pathToCreate(resource: Resource, namespace: string | undefined): string {
  requireScope(resource, namespace, resource.namespaced);
  return collectionPath(resource, namespace);
}

/** URL path of a collection, in one namespace or in all namespaces; see `pathOfObject`. */
export function pathOfCollection(resource: Resource, namespace: string | undefined): string {
  requireScope(resource, namespace, false);
  return collectionPath(resource, namespace);
}

function requireScope(
  resource: Resource,
  namespace: string | undefined,
  needsNamespace: boolean,
): void {
  if (namespace === undefined && needsNamespace) {
    throw new ConfigurationError('a namespace is missing', {
      context: { resource: resourceName(resource) },
    });
  }
  if (namespace !== undefined && !resource.namespaced) {
    throw new ConfigurationError('a cluster-scoped resource has no namespaces', {
      context: { resource: resourceName(resource), namespace },
    });
  }
}
