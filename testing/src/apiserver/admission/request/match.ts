import type { LabelSelector } from 'chancery';
import { matchesSelector, objectKey, selectorFromObject } from 'chancery/internal-objects';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { convertedTo } from '../../cluster/converted.ts';
import type { Steps } from '../../cluster/steps.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

/**
 * The API group of policies and webhook configurations. Webhooks are not called for objects of this
 * group.
 */
export const ADMISSION_GROUP = 'admissionregistration.k8s.io';

/**
 * True for policies and their bindings. Policies apply to webhook configurations, but not to
 * policies and bindings (k8s.io/apiserver, pkg/admission/plugin/policy/generic/plugin.go,
 * admissionResources).
 */
export function isAboutPolicies({ group, plural }: ServedResource): boolean {
  return group === ADMISSION_GROUP && !plural.endsWith('webhookconfigurations');
}

/**
 * The version of the resource that `constraints` match. With `matchPolicy: Equivalent`, it may differ from
 * the version of the request. Undefined when the constraints do not match the request (k8s.io/apiserver,
 * pkg/admission/plugin/policy/matching/matching.go).
 *
 * @param constraints - `matchConstraints` of a policy, or the rules and selectors of a webhook as an object
 * with the same fields.
 */
export function matchedResource(
  cluster: Cluster,
  constraints: unknown,
  request: AdmissionRequest,
): ServedResource | undefined {
  if (!isObject(constraints) || !selects(cluster, constraints, request)) return undefined;
  const { resourceRules, excludeResourceRules, matchPolicy } = constraints;
  const others = matchPolicy === 'Exact' ? [] : equivalents(cluster, request);
  const versions = [request.served, ...others];
  if (matchedBy(excludeResourceRules, versions, request) !== undefined) return undefined;
  return matchedBy(resourceRules, versions, request);
}

/**
 * The version of the resource that a rule matches. The version of the request takes precedence. If no rule
 * matches it, each rule in turn is compared with all other versions.
 */
function matchedBy(
  rules: unknown,
  [own, ...others]: readonly ServedResource[],
  request: AdmissionRequest,
): ServedResource | undefined {
  const list = objects(rules);
  if (own !== undefined && list.some((rule) => ruleMatches(rule, own, request))) return own;
  for (const rule of list) {
    const found = others.find((other) => ruleMatches(rule, other, request));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether a binding matches the request. A binding limits its policy to certain requests. If it has no rules,
 * only its selectors limit the policy.
 */
export function bindingMatches(
  cluster: Cluster,
  { matchResources }: Json,
  request: AdmissionRequest,
): boolean {
  if (!isObject(matchResources)) return true;
  const { resourceRules } = matchResources;
  const rules = objects(resourceRules).length === 0 ? [EVERYTHING] : resourceRules;
  return (
    matchedResource(cluster, { ...matchResources, resourceRules: rules }, request) !== undefined
  );
}

const EVERYTHING = {
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
};

/** All versions of the resource, except the version of the request. */
function equivalents(
  { registry }: Cluster,
  { served }: AdmissionRequest,
): readonly ServedResource[] {
  return registry.all().filter((other) => other.storedAs === served.storedAs && other !== served);
}

/** The request, with its objects converted to another version of the resource. */
export function* inVersion(
  served: ServedResource,
  request: AdmissionRequest,
): Steps<AdmissionRequest> {
  const { served: from, object, previous, requested = from } = request;
  if (served === from || request.subresource === 'scale') return { ...request, served, requested };
  return {
    ...request,
    served,
    requested,
    object: object && (yield* convertedTo(served, from, object)),
    previous: previous && (yield* convertedTo(served, from, previous)),
  };
}

function selects(cluster: Cluster, constraints: Json, request: AdmissionRequest): boolean {
  const { namespaceSelector, objectSelector } = constraints;
  const labels = namespaceLabels(cluster, request);
  if (labels !== undefined && !matchesLabels(namespaceSelector, labels)) return false;
  const states = [request.object, request.previous].filter((state) => state !== undefined);
  return states.some(({ metadata }) => matchesLabels(objectSelector, metadata.labels ?? {}));
}

/**
 * The labels of the namespace of the request; undefined for a cluster-scoped object. When a Namespace is
 * created or changed, the result is its new labels.
 */
function namespaceLabels(
  cluster: Cluster,
  { served, namespace, subresource, object }: AdmissionRequest,
): Readonly<Record<string, string>> | undefined {
  if (isNamespace(served) && !subresource && object !== undefined) {
    return object.metadata.labels ?? {};
  }
  if (namespace === undefined) return undefined;
  return namespaceOf(cluster, namespace)?.metadata.labels ?? {};
}

export function namespaceOf({ storage }: Cluster, name: string): StoredObject | undefined {
  return storage.get('namespaces', objectKey(undefined, name));
}

export function isNamespace({ group, plural }: ServedResource): boolean {
  return group === '' && plural === 'namespaces';
}

function matchesLabels(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (!isObject(selector)) return true;
  return matchesSelector(selectorFromObject(selector as LabelSelector), labels);
}

function objects(rules: unknown): readonly Json[] {
  return Array.isArray(rules) ? rules.filter(isObject) : [];
}

function ruleMatches(
  { operations, apiGroups, apiVersions, resources, scope, resourceNames }: Json,
  served: ServedResource,
  { operation, subresource, namespace, name }: AdmissionRequest,
): boolean {
  const inNamespace = namespace !== undefined && !isNamespace(served);
  if (scope === 'Namespaced' && !inNamespace) return false;
  if (scope === 'Cluster' && inNamespace) return false;
  const names = texts(resourceNames);
  return (
    includes(operations, operation) &&
    includes(apiGroups, served.group) &&
    includes(apiVersions, served.version) &&
    texts(resources).some((text) => resourceMatches(text, served.plural, subresource ?? '')) &&
    (names.length === 0 || names.includes(name))
  );
}

/**
 * Whether an entry of a rule's `resources` matches. Entries are `pods`, `pods/status`, `pods/*`, `*` (all
 * resources without their subresources) or `*` + `/scale`.
 */
function resourceMatches(text: string, plural: string, subresource: string): boolean {
  const [resource = '', part = ''] = text.split('/');
  return (resource === '*' || resource === plural) && (part === '*' || part === subresource);
}

function includes(list: unknown, wanted: string): boolean {
  return texts(list).some((text) => text === '*' || text === wanted);
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
