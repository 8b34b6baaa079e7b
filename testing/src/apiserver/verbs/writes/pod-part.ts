import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../failures/invalid.ts';
import { isObject, type Json, withFields } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';

/** Subresources through which only certain fields of a Pod's spec can be changed. */
const PARTS: ReadonlySet<string> = new Set(['ephemeralcontainers', 'resize']);

export function isPodPart(subresource: string | undefined): boolean {
  return subresource !== undefined && PARTS.has(subresource);
}

/**
 * Returns `stored`, with the fields that the subresource can change taken from `wanted`. Other differences
 * are ignored.
 */
export function withPodPart(
  stored: StoredObject,
  wanted: StoredObject,
  subresource: string | undefined,
): StoredObject {
  const [spec, asked] = [specOf(stored), specOf(wanted)];
  if (subresource === 'ephemeralcontainers') {
    const { ephemeralContainers } = asked;
    return withFields(stored, { spec: { ...spec, ephemeralContainers } });
  }
  const resized = { ...spec };
  for (const list of ['initContainers', 'containers']) {
    if (spec[list] !== undefined) resized[list] = withResources(spec[list], asked[list]);
  }
  return withFields(stored, { spec: resized });
}

/**
 * The problems of a change of a Pod through `ephemeralcontainers` or `resize`. Existing ephemeral containers
 * cannot be changed or removed.
 */
export function podPartProblems(
  pod: StoredObject,
  previous: StoredObject,
  subresource: string | undefined,
): readonly FieldError[] {
  if (subresource !== 'ephemeralcontainers') return [];
  const now = containersOf(specOf(pod).ephemeralContainers);
  return containersOf(specOf(previous).ephemeralContainers).flatMap((before) => {
    const found = now.find(({ name }) => name === before.name);
    if (isDeepStrictEqual(found, before)) return [];
    const what = found === undefined ? 'removed' : 'changed';
    return [
      {
        field: 'spec.ephemeralContainers',
        reason: 'FieldValueForbidden',
        message: `Forbidden: existing ephemeral containers "${before.name}" may not be ${what}\n`,
      },
    ];
  });
}

function withResources(stored: unknown, wanted: unknown): readonly Json[] {
  const asked = containersOf(wanted);
  return containersOf(stored).map((container) => {
    const found = asked.find(({ name }) => name === container.name);
    return found === undefined ? container : { ...container, resources: found.resources ?? {} };
  });
}

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}

function containersOf(list: unknown): readonly Json[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
