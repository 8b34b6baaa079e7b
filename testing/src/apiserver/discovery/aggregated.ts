import process from 'node:process';
import { goJson } from '../objects/canonical.ts';
import type { Json } from '../objects/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { groupNames, listedVerbs, resourcesOf, versionsOf } from './groups.ts';

const { createHash } = process.getBuiltinModule('node:crypto');

export const AGGREGATED_TYPE =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The complete discovery of the core group, or of all other groups, in one document. */
export function aggregatedDiscovery(registry: Registry, core: boolean): Json {
  const names = groupNames(registry).filter((name) => (name === '') === core);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: names.map((name) => ({
      metadata: name === '' ? {} : { name },
      versions: versionsOf(registry, name).map((version) => ({
        version,
        resources: resourcesOf(registry, name, version).map(entry),
        freshness: 'Current',
      })),
    })),
  };
}

/**
 * The ETag of a document. It equals the ETag of a real server with the same groups. The fields `kind` and
 * `apiVersion` of the document do not affect it.
 */
export function entityTag({ metadata, items }: Json): string {
  const text = goJson({ metadata, items });
  return `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"`;
}

function entry(served: ServedResource): Json {
  const { plural, kind, namespaced, singular, shortNames, categories } = served;
  // Built-in resources omit their group and version here, and custom resources include them.
  const own = served.custom ? { group: served.group, version: served.version } : EMPTY;
  return {
    resource: plural,
    responseKind: { ...own, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: listedVerbs(served),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(served.subresources.length > 0
      ? {
          subresources: served.subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: {
              ...own,
              ...(subresource.group === undefined
                ? {}
                : { group: subresource.group, version: subresource.version }),
              kind: subresource.kind,
            },
            verbs: subresource.verbs,
          })),
        }
      : {}),
  };
}

const EMPTY = { group: '', version: '' };
