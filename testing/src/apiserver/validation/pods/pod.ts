import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { isEmpty, itemsOf } from '../fields/check.ts';
import { forbidden, invalidValue, type Problem, required } from '../fields/problem.ts';
import { specDifference } from '../fields/spec-difference.ts';
import { podSpec, tolerations } from './pod-spec.ts';

/** The problems of a new Pod. */
export function newPod(pod: StoredObject): readonly Problem[] {
  const spec = specOf(pod);
  return [
    ...podContent(pod),
    ...(isEmpty(spec.ephemeralContainers)
      ? []
      : [forbidden('spec.ephemeralContainers', 'cannot be set on create')]),
    ...(isEmpty(spec.nodeName) || isEmpty(spec.schedulingGates)
      ? []
      : [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]),
  ];
}

/** The rules for every Pod, new or changed. */
export function podContent(pod: StoredObject): readonly Problem[] {
  const spec = specOf(pod);
  return [...podSpec(spec, 'spec'), ...trimmedImages(spec)];
}

/** The problems of a change of a Pod. Only a few fields of the Pod's spec may change. */
export function changedPod(pod: StoredObject, previous: StoredObject): readonly Problem[] {
  const [spec, before] = [specOf(pod), specOf(previous)];
  if (isDeepStrictEqual(spec, before)) return [];
  const lists = ['containers', 'initContainers'] as const;
  const problems: Problem[] = [...podContent(pod)];
  for (const list of lists) {
    if (itemsOf(spec[list]).length === itemsOf(before[list]).length) continue;
    return [...problems, forbidden(`spec.${list}`, 'pod updates may not add or remove containers')];
  }
  problems.push(...missingImages(spec), ...deadline(spec, before));
  problems.push(...addedTolerations(spec, before), ...removedGates(spec, before));
  const rest = withChangeable(spec, before);
  if (isDeepStrictEqual(rest, before)) return problems;
  const why = `pod updates may not change fields other than ${CHANGEABLE.join(',')}\n${specDifference('io.k8s.api.core.v1.PodSpec', before, rest)}`;
  return [...problems, forbidden('spec', why)];
}

const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}

/** Refuses images that begin or end with spaces. Only Pods are checked for this, not templates. */
function trimmedImages(spec: Json): readonly Problem[] {
  return ['containers', 'initContainers'].flatMap((list) =>
    itemsOf(spec[list]).flatMap(({ image }, at) =>
      String(image ?? '').trim() === String(image ?? '')
        ? []
        : [
            invalidValue(
              `spec.${list}[${at}].image`,
              image,
              'must not have leading or trailing whitespace',
            ),
          ],
    ),
  );
}

function missingImages(spec: Json): readonly Problem[] {
  return ['containers', 'initContainers'].flatMap((list) =>
    itemsOf(spec[list]).flatMap(({ image }, at) =>
      isEmpty(image) ? [required(`spec.${list}[${at}].image`)] : [],
    ),
  );
}

function deadline(spec: Json, before: Json): readonly Problem[] {
  const field = 'spec.activeDeadlineSeconds';
  const [now, then] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds];
  if (then === undefined) return [];
  if (now === undefined) {
    return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  }
  if (Number(now) <= Number(then)) return [];
  return [invalidValue(field, now, 'must be less than or equal to previous value')];
}

function addedTolerations(spec: Json, before: Json): readonly Problem[] {
  const timeless = (one: Json): Json => ({ ...one, tolerationSeconds: undefined });
  const now = itemsOf(spec.tolerations).map(timeless);
  const kept = itemsOf(before.tolerations).every((one) =>
    now.some((other) => isDeepStrictEqual(other, timeless(one))),
  );
  if (kept) return tolerations(spec.tolerations, 'spec.tolerations');
  const why = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbidden('spec.tolerations', why)];
}

function removedGates(spec: Json, before: Json): readonly Problem[] {
  const known = new Set(itemsOf(before.schedulingGates).map(({ name }) => name));
  return itemsOf(spec.schedulingGates).flatMap(({ name }, at) =>
    known.has(name)
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${at}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

/**
 * The spec, with all changeable fields reset to their former values. If it still differs from the former
 * spec, the change is refused.
 */
function withChangeable(spec: Json, before: Json): Json {
  const images = (list: 'containers' | 'initContainers'): unknown =>
    spec[list] === undefined
      ? undefined
      : itemsOf(spec[list]).map((one, at) => ({
          ...one,
          image: itemsOf(before[list])[at]?.image,
        }));
  const changed: Record<string, unknown> = {
    ...spec,
    containers: images('containers'),
    initContainers: images('initContainers'),
  };
  for (const field of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates']) {
    changed[field] = before[field];
  }
  const [now, then] = [spec.terminationGracePeriodSeconds, before.terminationGracePeriodSeconds];
  if (now === 1 && Number(then) < 0) changed.terminationGracePeriodSeconds = then;
  for (const [field, value] of Object.entries(changed)) {
    if (value === undefined) delete changed[field];
  }
  return changed;
}
