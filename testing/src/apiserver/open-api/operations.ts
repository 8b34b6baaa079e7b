import { groupVersionPath } from 'chancery/internal-objects';
import type { Json } from '../objects/metadata.ts';
import type { ServedResource, Subresource } from '../registry/served-resource.ts';
import { SCHEMAS } from './type-schema.ts';

/** The names of the schemas of a resource's objects and lists. */
export interface ResourceSchemas {
  readonly object: string;
  readonly list: string;
}

type Method = 'delete' | 'get' | 'patch' | 'post' | 'put';

const STATUS = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';

/**
 * The first sentence of kube-apiserver's description of each parameter. The other sentences are omitted,
 * because a document repeats each description hundreds of times.
 */
const MEANING: Readonly<Record<string, string>> = {
  allowWatchBookmarks: 'allowWatchBookmarks requests watch events with type "BOOKMARK".',
  continue: 'The continue option should be set when retrieving more results from the server.',
  dryRun: 'When present, indicates that modifications should not be persisted.',
  fieldManager:
    'fieldManager is a name associated with the actor or entity that is making these changes.',
  fieldSelector:
    'A selector to restrict the list of returned objects by their fields. Defaults to everything.',
  fieldValidation:
    'fieldValidation instructs the server on how to handle objects in the request (POST/PUT/PATCH) containing unknown or duplicate fields.',
  force: 'Force is going to "force" Apply requests.',
  gracePeriodSeconds: 'The duration in seconds before the object should be deleted.',
  labelSelector:
    'A selector to restrict the list of returned objects by their labels. Defaults to everything.',
  limit: 'limit is a maximum number of responses to return for a list call.',
  orphanDependents:
    'Deprecated: please use the PropagationPolicy, this field will be deprecated in 1.7.',
  propagationPolicy: 'Whether and how garbage collection will be performed.',
  resourceVersion:
    'resourceVersion sets a constraint on what resource versions a request may be served from.',
  resourceVersionMatch:
    'resourceVersionMatch determines how resourceVersion is applied to list calls.',
  sendInitialEvents: '`sendInitialEvents=true` may be set together with `watch=true`.',
  timeoutSeconds: 'Timeout for the list/watch call.',
  watch: 'Watch for changes to the described resources.',
};

const OF_LISTS: readonly Json[] = [
  ...['allowWatchBookmarks', 'sendInitialEvents', 'watch'].map((name) => query(name, 'boolean')),
  ...[
    'continue',
    'fieldSelector',
    'labelSelector',
    'resourceVersion',
    'resourceVersionMatch',
    'shardSelector',
  ].map((name) => query(name, 'string')),
  ...['limit', 'timeoutSeconds'].map((name) => query(name, 'integer')),
];
const OF_WRITES: readonly Json[] = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) =>
  query(name, 'string'),
);
const OF_DELETES: readonly Json[] = [
  query('dryRun', 'string'),
  query('gracePeriodSeconds', 'integer'),
  query('orphanDependents', 'boolean'),
  query('propagationPolicy', 'string'),
];

/** All operations of a resource, keyed by URL path. */
export function resourcePaths(
  served: ServedResource,
  schemas: ResourceSchemas,
): Readonly<Record<string, Json>> {
  const { namespaced, plural, subresources } = served;
  const root = groupVersionPath(served);
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const item = `${collection}/{name}`;
  const everywhere =
    namespaced && served.verbs.includes('list')
      ? { [`${root}/${plural}`]: { get: operation(served, 'get', 'list', schemas.list, OF_LISTS) } }
      : {};
  const paths: Record<string, Json> = {
    ...everywhere,
    [collection]: within(served, [], {
      ...when(served, 'list', 'get', schemas.list, OF_LISTS),
      ...when(served, 'create', 'post', schemas.object, OF_WRITES),
      ...when(served, 'deletecollection', 'delete', STATUS, [...OF_LISTS, ...OF_DELETES]),
    }),
    [item]: within(served, ['name'], {
      ...when(served, 'get', 'get', schemas.object, []),
      ...when(served, 'update', 'put', schemas.object, OF_WRITES),
      ...when(served, 'patch', 'patch', schemas.object, PATCH),
      ...when(served, 'delete', 'delete', STATUS, OF_DELETES),
    }),
  };
  for (const subresource of subresources) {
    paths[`${item}/${subresource.name}`] = within(
      served,
      ['name'],
      subresourceOperations(served, subresource, schemas),
    );
  }
  // A resource whose objects can only be created has no path for a single object.
  return Object.fromEntries(
    Object.entries(paths).filter(
      ([, { parameters: _, ...methods }]) => Object.keys(methods).length,
    ),
  );
}

const PATCH: readonly Json[] = [...OF_WRITES, query('force', 'boolean')];

const METHODS: Readonly<Record<string, Method>> = {
  get: 'get',
  update: 'put',
  patch: 'patch',
  create: 'post',
  delete: 'delete',
};

function subresourceOperations(
  served: ServedResource,
  { verbs, kind, group, version }: Subresource,
  schemas: ResourceSchemas,
): Json {
  const own = group === undefined && kind === served.kind;
  const subject = { ...served, group: group ?? served.group, version: version ?? served.version };
  const operations: Record<string, unknown> = {};
  for (const verb of verbs) {
    const method = METHODS[verb] ?? 'get';
    const schema = own ? schemas.object : undefined;
    operations[method] = operation({ ...subject, kind }, method, verb, schema, OF_WRITES);
  }
  return operations;
}

function within({ namespaced }: ServedResource, names: readonly string[], methods: Json): Json {
  const inPath = [...names, ...(namespaced ? ['namespace'] : [])];
  if (inPath.length === 0) return methods;
  const parameters = inPath.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', uniqueItems: true },
  }));
  return { ...methods, parameters };
}

function when(
  served: ServedResource,
  verb: string,
  method: Method,
  schema: string,
  parameters: readonly Json[],
): Json {
  if (!served.verbs.includes(verb)) return {};
  return { [method]: operation(served, method, verb, schema, parameters) };
}

function operation(
  { group, version, kind, custom }: ServedResource,
  method: Method,
  verb: string,
  schema: string | undefined,
  parameters: readonly Json[],
): Json {
  const content = {
    schema: schema === undefined ? { type: 'string' } : { $ref: `${SCHEMAS}${schema}` },
  };
  const accepted = acceptedTypes(method, custom);
  const body = Object.fromEntries(accepted.map((type) => [type, content]));
  return {
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(accepted.length > 0 ? { requestBody: { content: body, required: true } } : {}),
    responses: {
      [method === 'post' ? '201' : '200']: { content: { 'application/json': content } },
    },
    'x-kubernetes-action': method === 'get' || method === 'delete' ? verb : method,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

function acceptedTypes(method: Method, custom: boolean): readonly string[] {
  if (method === 'put' || method === 'post') return ['application/json', 'application/yaml'];
  if (method !== 'patch') return [];
  return [
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
    // Custom resources have no Go type that declares how lists are merged.
    ...(custom ? [] : ['application/strategic-merge-patch+json']),
  ];
}

function query(name: string, type: string): Json {
  const description = MEANING[name];
  return {
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    schema: { type, uniqueItems: true },
  };
}
