import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { type ChangeCheck, changed } from './fields/change.ts';
import { type Check, each, fields, formed, isEmpty, must, needed } from './fields/check.ts';
import { dnsSubdomain, pathSegment } from './fields/formats.ts';
import { internalJson } from './fields/internal-json.ts';
import { labelSelector } from './fields/label-selector.ts';
import {
  invalidShown,
  invalidValue,
  notSupported,
  type Problem,
  required,
} from './fields/problem.ts';

const GROUP = 'rbac.authorization.k8s.io';

function policyRule(namespaced: boolean): Check {
  return fields({}, (rule, field) => {
    const problems: Problem[] = [];
    if (isEmpty(rule.verbs)) {
      problems.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
    }
    if (!isEmpty(rule.nonResourceURLs)) return [...problems, ...urls(rule, field, namespaced)];
    if (isEmpty(rule.apiGroups)) {
      const why = 'resource rules must supply at least one api group';
      problems.push(required(`${field}.apiGroups`, why));
    }
    if (isEmpty(rule.resources)) {
      const why = 'resource rules must supply at least one resource';
      problems.push(required(`${field}.resources`, why));
    }
    return problems;
  });
}

function urls(rule: Json, field: string, namespaced: boolean): readonly Problem[] {
  const at = `${field}.nonResourceURLs`;
  const wrong = (why: string): Problem => invalidValue(at, rule.nonResourceURLs, why);
  const resources = [rule.apiGroups, rule.resources, rule.resourceNames].some(
    (list) => !isEmpty(list),
  );
  return [
    ...(namespaced ? [wrong('namespaced rules cannot apply to non-resource URLs')] : []),
    ...(resources
      ? [wrong('rules cannot apply to both regular resources and non-resource URLs')]
      : []),
  ];
}

export function role(object: StoredObject): readonly Problem[] {
  return each(policyRule(true))(object.rules, 'rules');
}

export function clusterRole(object: StoredObject): readonly Problem[] {
  const selectors = fields({
    clusterRoleSelectors: (value, field) =>
      isEmpty(value)
        ? [
            required(
              field,
              'at least one clusterRoleSelector required if aggregationRule is non-nil',
            ),
          ]
        : each(labelSelector)(value, field),
  });
  return [
    ...each(policyRule(false))(object.rules, 'rules'),
    ...selectors(object.aggregationRule, 'aggregationRule'),
  ];
}

function subject(namespaced: boolean): Check {
  return fields({ name: needed() }, ({ kind, name, apiGroup, namespace }, field) => {
    if (kind === 'ServiceAccount') {
      const problems = [...formed(dnsSubdomain)(name, `${field}.name`)];
      if (!isEmpty(apiGroup)) problems.push(notSupported(`${field}.apiGroup`, apiGroup, ['']));
      const homeless = !namespaced && isEmpty(namespace);
      return homeless ? [...problems, required(`${field}.namespace`)] : problems;
    }
    if (kind === 'User' || kind === 'Group') {
      const problems: Problem[] = [];
      if (isEmpty(name)) {
        const why = `${kind.toLowerCase()} name cannot be empty`;
        problems.push(invalidValue(`${field}.name`, name ?? '', why));
      }
      if (apiGroup === GROUP) return problems;
      return [...problems, notSupported(`${field}.apiGroup`, apiGroup ?? '', [GROUP])];
    }
    return [notSupported(`${field}.kind`, kind ?? '', ['ServiceAccount', 'User', 'Group'])];
  });
}

function binding(
  kinds: readonly string[],
  namespaced: boolean,
): (object: StoredObject) => readonly Problem[] {
  return ({ roleRef, subjects }) => {
    const ref = isObject(roleRef) ? roleRef : {};
    const oneOfThese = (name: string, supported: readonly string[]): readonly Problem[] =>
      supported.includes(String(ref[name]))
        ? []
        : [notSupported(`roleRef.${name}`, ref[name] ?? '', supported)];
    return [
      ...oneOfThese('apiGroup', [GROUP]),
      ...oneOfThese('kind', kinds),
      ...must(formed(pathSegment))(ref.name, 'roleRef.name'),
      ...each(subject(namespaced))(subjects, 'subjects'),
    ];
  };
}

export const roleBinding: (object: StoredObject) => readonly Problem[] = binding(
  ['Role', 'ClusterRole'],
  true,
);
export const clusterRoleBinding: (object: StoredObject) => readonly Problem[] = binding(
  ['ClusterRole'],
  false,
);

/**
 * Refuses a change of the role in a binding. Otherwise the subjects of the binding could get other rights
 * unnoticed.
 */
export const sameRole: ChangeCheck = (object, previous) => {
  if (!changed(object, previous, ['roleRef'])) return [];
  const shown = internalJson('io.k8s.api.rbac.v1.RoleRef', object.roleRef);
  return [invalidShown('roleRef', shown, 'cannot change roleRef')];
};
