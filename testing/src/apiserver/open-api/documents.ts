import process from 'node:process';
import { apiVersionOf, groupVersionPath } from 'chancery/internal-objects';
import { DEFAULT_GENERATION, versionOf } from '../behaviour/server-generation.ts';
import { builtInKindName } from '../built-in-types/built-in-types.ts';
import { groupNames, resourcesOf, versionsOf } from '../discovery/groups.ts';
import { compareText } from '../discovery/version-order.ts';
import { goJson } from '../objects/canonical.ts';
import type { Json } from '../objects/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { API_SERVICE_SCHEMA_NAMES, API_SERVICE_SCHEMAS } from './api-service-schema.ts';
import { definitionSchemaNames, definitionSchemas } from './definition-schema.ts';
import { type ResourceSchemas, resourcePaths } from './operations.ts';
import { closureOf, typeSchema } from './type-schema.ts';

const { createHash } = process.getBuiltinModule('node:crypto');

/** One document of OpenAPI v3, as it is sent. */
export interface OpenApiDocument {
  readonly text: string;
  /** The SHA-512 of the text, in upper case. */
  readonly hash: string;
}

/** The documents of this release are served, whichever release the server imitates. */
export const VERSION = versionOf(DEFAULT_GENERATION) as {
  readonly gitVersion: string;
  readonly [field: string]: string;
};

/** The served paths that are not paths of resources. */
const OTHER_PATHS: readonly string[] = [
  '.well-known/openid-configuration',
  'openid/v1/jwks',
  'version',
];

/** The answer to `/openapi/v3`: the path of the document of each group and version. */
export function openApiIndex(registry: Registry): Json {
  const entries = documentPaths(registry).map((path) => {
    const hash = openApiDocument(registry, path)?.hash ?? '';
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(entries) };
}

function documentPaths(registry: Registry): readonly string[] {
  const paths = new Set(['api', 'apis', ...OTHER_PATHS]);
  for (const served of registry.all()) {
    paths.add(groupVersionPath(served).slice(1));
    if (served.group !== '' && !served.custom) paths.add(`apis/${served.group}`);
  }
  return [...paths].toSorted(compareText);
}

/**
 * The document for a path such as `apis/apps/v1`; undefined for an unknown path.
 *
 * A document is made when it is first requested, and again after its resources have changed.
 */
export function openApiDocument(registry: Registry, path: string): OpenApiDocument | undefined {
  const resources = resourcesBelow(registry, path);
  if (resources.length > 0) return resourceDocument(path, resources);
  return documentPaths(registry).includes(path) ? plainDocument(path) : undefined;
}

function resourcesBelow(registry: Registry, path: string): readonly ServedResource[] {
  const [root, ...rest] = path.split('/');
  if (root === 'api' && rest.length === 1) return resourcesOf(registry, '', rest[0] ?? '');
  if (root !== 'apis' || rest.length !== 2) return [];
  return resourcesOf(registry, rest[0] ?? '', rest[1] ?? '');
}

interface Cached {
  readonly resources: readonly ServedResource[];
  readonly document: OpenApiDocument;
}

/** Cached built-in documents. All servers of a process with the same resources share them. */
const BUILT_IN = new Map<string, OpenApiDocument>();
/** Cached documents of custom resources, keyed by the first resource in each document. */
const CUSTOM = new WeakMap<ServedResource, Cached>();

function resourceDocument(path: string, resources: readonly ServedResource[]): OpenApiDocument {
  if (!resources.some(({ custom }) => custom)) {
    const parts = resources.map(({ plural, subresources }) =>
      [plural, ...subresources.map(({ name }) => name)].join('/'),
    );
    return remembered(BUILT_IN, `${path} ${parts}`, () => build(resources));
  }
  const [first] = resources as [ServedResource, ...ServedResource[]];
  const cached = CUSTOM.get(first);
  if (cached?.resources.length === resources.length) {
    if (cached.resources.every((served, index) => served === resources[index])) {
      return cached.document;
    }
  }
  const document = build(resources);
  CUSTOM.set(first, { resources, document });
  return document;
}

function plainDocument(path: string): OpenApiDocument {
  return remembered(BUILT_IN, path, () => {
    const responses = { 200: { description: 'OK' } };
    return finished({ [`/${path}/`]: { get: { responses } } }, {});
  });
}

function remembered<T>(cache: Map<string, T>, key: string, make: () => T): T {
  const found = cache.get(key);
  if (found !== undefined) return found;
  const made = make();
  cache.set(key, made);
  return made;
}

function build(resources: readonly ServedResource[]): OpenApiDocument {
  const paths: Record<string, Json> = {};
  const roots = new Set(['Status', 'DeleteOptions', 'ObjectMeta', 'ListMeta', 'Time'].map(meta));
  const own: Record<string, Json> = {};
  for (const served of resources) {
    const schemas = schemasOf(served);
    Object.assign(paths, resourcePaths(served, schemas));
    if (served.custom) Object.assign(own, definitionSchemas(served));
    else if (served.kind === 'APIService') Object.assign(own, API_SERVICE_SCHEMAS);
    else for (const name of Object.values(schemas)) roots.add(name);
    for (const name of subresourceKinds(served)) roots.add(name);
  }
  const known = closureOf([...roots].filter((name) => name !== ''));
  const builtIn = known.map((name) => [name, typeSchema(name)]);
  return finished(sorted(paths), sorted({ ...Object.fromEntries(builtIn), ...own }));
}

function meta(name: string): string {
  return `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;
}

/**
 * The schema names of a resource. The name of the list is empty for kinds that cannot be listed.
 */
function schemasOf(served: ServedResource): ResourceSchemas {
  if (served.custom) return definitionSchemaNames(served);
  if (served.kind === 'APIService') return API_SERVICE_SCHEMA_NAMES;
  const apiVersion = apiVersionOf(served);
  return {
    object: builtInKindName(apiVersion, served.kind) ?? '',
    list: builtInKindName(apiVersion, served.listKind) ?? '',
  };
}

/** The types that only subresources of this resource use, such as Scale. */
function subresourceKinds(served: ServedResource): readonly string[] {
  return served.subresources.flatMap(({ group, version, kind }) => {
    if (group === undefined) return [];
    const name = builtInKindName(`${group}/${version}`, kind);
    return name === undefined ? [] : [name];
  });
}

function finished(paths: object, schemas: object): OpenApiDocument {
  const text = goJson({
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: VERSION.gitVersion },
    paths,
    ...(Object.keys(schemas).length > 0 ? { components: { schemas } } : {}),
  });
  return { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
}

function sorted<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => compareText(a, b)));
}

/** The documents of all groups and versions. */
export function allDocuments(registry: Registry): readonly OpenApiDocument[] {
  const paths = groupNames(registry).flatMap((group) =>
    versionsOf(registry, group).map((version) => groupVersionPath({ group, version }).slice(1)),
  );
  return paths.flatMap((path) => openApiDocument(registry, path) ?? []);
}
