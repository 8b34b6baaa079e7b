import type { KubernetesObject } from 'chancery';
import { isDnsLabel, isDnsSubdomain } from 'chancery/internal';
import type { ResourceReference } from '../spec.ts';
import { refuse, shown } from './invalid-spec.ts';

/**
 * Annotation of a controller with the resources that its customize hook may select, such as
 * `v1/configmaps,apps/v1/deployments`. Roles are generated from it.
 */
export const RELATED_RESOURCES = 'metacontroller.chancery.dev/related-resources';

/** Group and version of a valid apiVersion. */
export function groupAndVersion(apiVersion: string): readonly [group: string, version: string] {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? ['', first] : [first, second];
}

/**
 * A reference to a resource. The reference must be to a single resource, because roles cannot be
 * generated from a wildcard.
 *
 * @param path - the path of the object with the fields `apiVersion` and `resource`.
 * @throws InvalidSpecError.
 */
export function parseReference(
  { apiVersion, resource }: ResourceReference,
  path: string,
): ResourceReference {
  refuseWildcard(`${path}.apiVersion`, apiVersion);
  refuseWildcard(`${path}.resource`, resource);
  if (!isApiVersion(apiVersion)) {
    refuse(
      `${path}.apiVersion`,
      `expected v1, or a form such as apps/v1, got ${shown(apiVersion)}`,
    );
  }
  if (!isDnsLabel(resource)) {
    const form = 'expected the plural of a resource, such as configmaps';
    refuse(`${path}.resource`, `${form}, got ${shown(resource)}`);
  }
  return { apiVersion, resource };
}

/**
 * The resources in the annotation. The list is empty if the object does not have the annotation.
 *
 * @throws InvalidSpecError.
 */
export function parseRelated({ metadata }: KubernetesObject): readonly ResourceReference[] {
  const text: unknown = metadata.annotations?.[RELATED_RESOURCES] ?? '';
  const path = `metadata.annotations[${RELATED_RESOURCES}]`;
  if (typeof text !== 'string') return refuse(path, 'expected a string');
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].filter((word) => word !== '').map((word) => parseWord(word, path));
}

/** Parses one entry of the annotation, such as `v1/configmaps` or `apps/v1/deployments`. */
function parseWord(word: string, path: string): ResourceReference {
  refuseWildcard(path, word);
  const at = word.lastIndexOf('/');
  const [apiVersion, resource] = [word.slice(0, Math.max(at, 0)), word.slice(at + 1)];
  if (isApiVersion(apiVersion) && isDnsLabel(resource)) return { apiVersion, resource };
  return refuse(
    path,
    `expected a list such as v1/configmaps,apps/v1/deployments, got ${shown(word)} in it`,
  );
}

function isApiVersion(text: string): boolean {
  const [group, version] = groupAndVersion(text);
  const parts = text.split('/').length;
  return parts <= 2 && (parts === 1 || isDnsSubdomain(group)) && isDnsLabel(version);
}

function refuseWildcard(path: string, text: string): void {
  if (text.includes('*'))
    refuse(path, `a wildcard is refused: name each resource, not ${shown(text)}`);
}
