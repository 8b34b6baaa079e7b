import { apiVersionOf, collectionPath } from '../../../model/resource.ts';
import type { Json } from '../objects/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** `/openapi/v3`: a document for each group and version. */
export function openApiIndex(registry: Registry): Json {
  const paths = registry.all().map(pathOf);
  const entries = [...new Set(paths)].map((path) => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}` },
  ]);
  return { paths: Object.fromEntries(entries) };
}

/**
 * One of the documents, without schemas: kubectl learns from it that the server validates fields,
 * and leaves validation to the server. Undefined where there is no such document.
 */
export function openApiDocument(registry: Registry, path: string): Json | undefined {
  const resources = registry.all().filter((served) => pathOf(served) === path);
  const [first] = resources;
  if (first === undefined) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: apiVersionOf(first) },
    paths: Object.fromEntries(resources.map((served) => [itemPath(served), operations(served)])),
  };
}

function pathOf({ group, version }: ServedResource): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function itemPath(served: ServedResource): string {
  const namespace = served.namespaced ? 'namespace' : undefined;
  return `${collectionPath(served, namespace).replace('/namespace/', '/{namespace}/')}/{name}`;
}

function operations({ group, version, kind }: ServedResource): Json {
  const patch = {
    parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }],
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
  return { patch };
}
