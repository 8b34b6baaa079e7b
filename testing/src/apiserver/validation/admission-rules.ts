import { isObject, type Json } from '../objects/metadata.ts';
import { type Check, each, isEmpty, itemsOf } from './fields/check.ts';
import { pathSegment } from './fields/formats.ts';
import { labelSelector } from './fields/label-selector.ts';
import { duplicate, invalidValue, notSupported, type Problem, required } from './fields/problem.ts';

/**
 * The rules for the fields with which admission webhooks and policies select requests, as in
 * pkg/apis/admissionregistration/validation of Kubernetes 1.36.
 */

/** Requires one of these words, if a value is set. An empty string counts as set. */
export function wordIfSet(...words: readonly string[]): Check {
  return (value, field) =>
    value === undefined || words.includes(String(value)) ? [] : [notSupported(field, value, words)];
}

export const failurePolicy: Check = wordIfSet('Fail', 'Ignore');
export const matchPolicy: Check = wordIfSet('Equivalent', 'Exact');

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scope: Check = wordIfSet('*', 'Cluster', 'Namespaced');

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((text: unknown) => String(text ?? '')) : [];
}

/** Requires a list that is not empty. If it contains `*`, it must have no other items. */
function wildcards(rule: Json, part: string, what: string, field: string): readonly Problem[] {
  const at = `${field}.${part}`;
  const texts = textsOf(rule[part]);
  if (texts.length === 0) return [required(at)];
  if (texts.length === 1 || !texts.includes('*')) return [];
  return [invalidValue(at, texts, `if '*' is present, must not specify other ${what}`)];
}

function requestRule(rule: Json, field: string): readonly Problem[] {
  return [
    ...wildcards(rule, 'operations', 'operations', field),
    ...each((value, at) =>
      OPERATIONS.includes(String(value)) ? [] : [notSupported(at, value ?? '', OPERATIONS)],
    )(rule.operations, `${field}.operations`),
    ...wildcards(rule, 'apiGroups', 'API groups', field),
    ...wildcards(rule, 'apiVersions', 'API versions', field),
    ...each((value, at) => (isEmpty(value) ? [required(at)] : []))(
      rule.apiVersions,
      `${field}.apiVersions`,
    ),
    ...resources(textsOf(rule.resources), `${field}.resources`),
    ...scope(rule.scope, `${field}.scope`),
  ];
}

// An entry is, for example, `pods`, `pods/status`, `pods/*`, `*/scale`, `*` or `*/*`.
function resources(texts: readonly string[], field: string): readonly Problem[] {
  if (texts.length === 0) return [required(field)];
  const problems = texts.flatMap((text, at) => resource(texts, text, at, `${field}[${at}]`));
  const whole = (why: string): Problem => invalidValue(field, texts, why);
  if (texts.length > 1 && texts.includes('*/*')) {
    problems.push(whole("if '*/*' is present, must not specify other resources"));
  }
  const plain = texts.filter((text) => text !== '' && !text.includes('/'));
  if (plain.includes('*') && plain.at(-1) !== '*') {
    const why = "if '*' is present, must not specify other resources without subresources";
    problems.push(whole(why));
  }
  return problems;
}

/**
 * Checks one entry of `resources`. It must not be empty, and no earlier entry with `*` may cover its
 * subresource.
 */
function resource(
  texts: readonly string[],
  text: string,
  at: number,
  field: string,
): readonly Problem[] {
  if (text === '') return [required(field)];
  if (!text.includes('/')) return [];
  const [name = ''] = text.split('/', 1);
  const sub = text.slice(name.length + 1);
  const before = texts.slice(0, at);
  return [`${name}/*`, `*/${sub}`]
    .filter((cover) => before.includes(cover))
    .map((cover) =>
      invalidValue(field, text, `if '${cover}' is present, must not specify ${text}`),
    );
}

/** Checks the `rules` of a webhook. */
export function requestRules(rules: unknown, field: string): readonly Problem[] {
  return itemsOf(rules).flatMap((rule, at) => requestRule(rule, `${field}[${at}]`));
}

function namedRules(rules: unknown, field: string): readonly Problem[] {
  return itemsOf(rules).flatMap((rule, index) => {
    const at = `${field}[${index}]`;
    const names = textsOf(rule.resourceNames);
    const ofNames = names.flatMap((name, place) => [
      ...pathSegment(name).map((why) => invalidValue(`${at}.resourceNames[${place}]`, name, why)),
      ...(names.indexOf(name) < place ? [duplicate(`${at}.resourceNames[${place}]`, name)] : []),
    ]);
    return [...ofNames, ...requestRule(rule, at)];
  });
}

/** Checks the `matchConstraints` of a policy, or the `matchResources` of its binding. */
export const matchResources: Check = (value, field) => {
  if (!isObject(value)) return [];
  return [
    ...matchPolicy(value.matchPolicy, `${field}.matchPolicy`),
    ...labelSelector(value.namespaceSelector, `${field}.namespaceSelector`),
    ...labelSelector(value.objectSelector, `${field}.objectSelector`),
    ...namedRules(value.resourceRules, `${field}.resourceRules`),
    ...namedRules(value.excludeResourceRules, `${field}.excludeResourceRules`),
  ];
};
