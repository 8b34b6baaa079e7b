import { isObject } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { type ChangeCheck, changed, immutable } from './fields/change.ts';
import {
  type Check,
  each,
  fields,
  formed,
  isEmpty,
  maybeOneOf,
  notNegative,
  positive,
} from './fields/check.ts';
import { labelKey } from './fields/formats.ts';
import { isPositiveIntOrPercent, moreThanAll } from './fields/int-or-percent.ts';
import { internalJson } from './fields/internal-json.ts';
import { labelSelector } from './fields/label-selector.ts';
import { forbidden, invalidShown, notSupported, type Problem, required } from './fields/problem.ts';

/**
 * Requires a strategy that Kubernetes defines, or the name of another strategy with a domain as its prefix.
 */
const leaseStrategy: Check = (value, field) => {
  if (isEmpty(value)) return [];
  if (String(value).includes('/')) return formed(labelKey)(value, `${field}.strategy`);
  const known = ['OldestEmulationVersion'];
  return known.includes(String(value)) ? [] : [notSupported(`${field}.strategy`, value, known)];
};

export function lease({ spec }: StoredObject): readonly Problem[] {
  return fields(
    { leaseDurationSeconds: positive, leaseTransitions: notNegative, strategy: leaseStrategy },
    ({ preferredHolder, strategy }, field) =>
      isEmpty(preferredHolder) || !isEmpty(strategy)
        ? []
        : [forbidden(`${field}.preferredHolder`, 'may only be specified if `strategy` is defined')],
  )(spec, 'spec');
}

export function disruptionBudget({ spec }: StoredObject): readonly Problem[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = isObject(spec)
    ? spec
    : {};
  const problems: Problem[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = internalJson('io.k8s.api.policy.v1.PodDisruptionBudgetSpec', spec);
    const why = 'minAvailable and maxUnavailable cannot be both set';
    problems.push(invalidShown('spec', shown, why));
  }
  return [
    ...problems,
    ...isPositiveIntOrPercent(minAvailable, 'spec.minAvailable'),
    ...moreThanAll(minAvailable, 'spec.minAvailable'),
    ...isPositiveIntOrPercent(maxUnavailable, 'spec.maxUnavailable'),
    ...moreThanAll(maxUnavailable, 'spec.maxUnavailable'),
    ...labelSelector(selector, 'spec.selector'),
    ...maybeOneOf('AlwaysAllow', 'IfHealthyBudget')(
      unhealthyPodEvictionPolicy,
      'spec.unhealthyPodEvictionPolicy',
    ),
  ];
}

/** Priorities above this value are reserved for the system. */
const MAX_USER_PRIORITY = 1_000_000_000;

export function priorityClass(object: StoredObject): readonly Problem[] {
  const { value, preemptionPolicy, metadata } = object;
  const isSystem = metadata.name?.startsWith('system-') === true;
  const limit = `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`;
  return [
    ...(Number(value ?? 0) > MAX_USER_PRIORITY && !isSystem ? [forbidden('value', limit)] : []),
    ...maybeOneOf('PreemptLowerPriority', 'Never')(preemptionPolicy, 'preemptionPolicy'),
  ];
}

export const changedPriorityClass: ChangeCheck = (object, previous) => [
  ...(changed(object, previous, ['value'])
    ? [forbidden('value', 'may not be changed in an update.')]
    : []),
  ...immutable(['preemptionPolicy'])(object, previous),
];

export function namespace({ spec }: StoredObject): readonly Problem[] {
  return fields({ finalizers: each(formed(labelKey)) })(spec, 'spec');
}

export function controllerRevision({ data }: StoredObject): readonly Problem[] {
  return data === undefined ? [required('data', 'data is mandatory')] : [];
}
