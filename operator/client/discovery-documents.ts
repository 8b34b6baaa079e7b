import type { Clock } from '../core/clock.ts';
import { ProtocolError } from '../core/errors.ts';
import { groupVersionPath } from '../model/resource.ts';
import type { Transport } from '../transport/transport.ts';
import { type JsonObject, readAnswer } from './answer.ts';
import { withQuery } from './rest-request.ts';

/** Parameters of a discovery request. */
export interface DiscoveryContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A served API group. The name of the core group is empty. */
export interface ApiGroup {
  readonly group: string;
  /** The preferred version comes first. */
  readonly versions: readonly string[];
}

export interface ApiResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Empty on older servers. */
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Every served group: first the core group, then all other groups in the server's order. */
export async function fetchGroups(context: DiscoveryContext): Promise<readonly ApiGroup[]> {
  const [core, named] = await Promise.all([
    fetchDocument(context, '/api', 'APIVersions'),
    fetchDocument(context, '/apis', 'APIGroupList'),
  ]);
  const groups = arrayOf(named.groups).map((entry) => {
    const preferred = textOf(recordOf(entry.preferredVersion).version);
    const versions = arrayOf(entry.versions).map((version) => textOf(version.version));
    return { group: textOf(entry.name), versions: [...new Set([preferred, ...versions])] };
  });
  const coreVersions = Array.isArray(core.versions) ? core.versions.map(textOf) : [];
  return [{ group: '', versions: coreVersions }, ...groups];
}

/** The resources of one group and version, without subresources. */
export async function fetchResources(
  context: DiscoveryContext,
  groupVersion: { readonly group: string; readonly version: string },
): Promise<readonly ApiResource[]> {
  const { group, version } = groupVersion;
  const path = groupVersionPath(groupVersion);
  const document = await fetchDocument(context, path, 'APIResourceList');
  return arrayOf(document.resources)
    .map((entry) => ({
      group,
      version,
      plural: textOf(entry.name),
      singular: textOf(entry.singularName),
      shortNames: Array.isArray(entry.shortNames) ? entry.shortNames.map(textOf) : [],
      kind: textOf(entry.kind),
      namespaced: entry.namespaced === true,
    }))
    .filter(({ plural }) => plural !== '' && !plural.includes('/'));
}

/** Resolves to true if discovery lists the subresource of the resource, such as `status`. */
export async function fetchHasSubresource(
  context: DiscoveryContext,
  resource: { readonly group: string; readonly version: string; readonly plural: string },
  subresource: string,
): Promise<boolean> {
  const document = await fetchDocument(context, groupVersionPath(resource), 'APIResourceList');
  const name = `${resource.plural}/${subresource}`;
  return arrayOf(document.resources).some((entry) => textOf(entry.name) === name);
}

/**
 * The two kinds that a list can contain: `ofItem` is the kind of its items, and `ofList` is the kind of the
 * list without the ending `List`.
 */
export interface ListedKinds {
  readonly ofItem: string | undefined;
  readonly ofList: string | undefined;
}

/**
 * Reads the kinds of a collection from a list of at most one object.
 *
 * @param name - the name of the only object that the caller is allowed to read.
 */
export async function fetchKinds(
  { transport, clock, signal }: DiscoveryContext,
  collection: string,
  name: string | undefined,
): Promise<ListedKinds> {
  const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
  const path = withQuery(collection, { limit: 1, fieldSelector });
  const response = await transport.send({
    method: 'GET',
    path,
    headers: { accept: 'application/json' },
    purpose: 'call',
    signal,
  });
  const { kind, items } = await readAnswer(response, clock, { asked: { method: 'GET', path } });
  const [, ofList] = /^(.+)List$/.exec(textOf(kind)) ?? [];
  return { ofItem: textOf(arrayOf(items)[0]?.kind) || undefined, ofList };
}

async function fetchDocument(
  { transport, clock, signal }: DiscoveryContext,
  path: string,
  kind: string,
): Promise<JsonObject> {
  const response = await transport.send({
    method: 'GET',
    path,
    headers: { accept: 'application/json' },
    purpose: 'call',
    signal,
  });
  const document = await readAnswer(response, clock, { asked: { method: 'GET', path } });
  if (document.kind === kind) return document;
  throw new ProtocolError('the answer is not a discovery document', {
    code: 'DECODE',
    context: { path, expected: kind, got: textOf(document.kind) },
  });
}

function arrayOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

function recordOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
