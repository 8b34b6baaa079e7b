import process from 'node:process';
import { apiVersionOf } from 'chancery/internal-objects';
import type { Json } from '../objects/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { groupNames, listedVerbs, resourcesOf, versionsOf } from './groups.ts';

const { createHash } = process.getBuiltinModule('node:crypto');

/** The answer to `/api`. */
export function apiVersions(address: string): Json {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** The answer to `/apis`. */
export function groupList(registry: Registry): Json {
  const names = groupNames(registry).filter((name) => name !== '');
  const groups = names.map((name) => groupOf(registry, name));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** The answer to `/apis/<group>`; undefined for an unknown group. */
export function groupDocument(registry: Registry, name: string): Json | undefined {
  if (!groupNames(registry).includes(name) || name === '') return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(registry, name) };
}

function groupOf(registry: Registry, name: string): Json {
  const versions = versionsOf(registry, name).map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

/** The answer to `/api/v1` and `/apis/<group>/<version>`; undefined for an unknown version. */
export function resourceList(registry: Registry, group: string, version: string): Json | undefined {
  const resources = resourcesOf(registry, group, version);
  const [first] = resources;
  if (first === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    // The document of the core group has no `apiVersion`.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(first),
    resources: resources.flatMap((served) => [
      resourceEntry(served),
      ...subresourceEntries(served),
    ]),
  };
}

function resourceEntry(served: ServedResource): Json {
  const { plural, singular, namespaced, kind, shortNames, categories } = served;
  const stored = served.verbs.includes('create') && served.verbs.includes('get');
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: listedVerbs(served),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(stored ? { storageVersionHash: storageVersionHash(served) } : {}),
  };
}

function subresourceEntries(served: ServedResource): readonly Json[] {
  return served.subresources.map(({ name, group, version, kind, verbs }) => ({
    name: `${served.plural}/${name}`,
    singularName: '',
    namespaced: served.namespaced,
    ...(group === undefined ? {} : { group, version }),
    kind,
    verbs,
  }));
}

function storageVersionHash({ group, storageVersion, kind }: ServedResource): string {
  const version = OLDER_STORAGE[kind] ?? storageVersion;
  // Both groups of Events store core Events.
  const identity = kind === 'Event' ? '/v1/Event' : `${group}/${version}/${kind}`;
  return createHash('sha256').update(identity).digest().subarray(0, 8).toString('base64');
}

/** Kinds for which kube-apiserver still computes `storageVersionHash` from an older version. */
const OLDER_STORAGE: Readonly<Record<string, string>> = { CustomResourceDefinition: 'v1beta1' };
