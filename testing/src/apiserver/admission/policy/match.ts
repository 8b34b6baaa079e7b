import { type LabelSelector, matchesSelector, objectKey, selectorFromObject } from 'chancery';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { fromStored, type ServedResource, toStored } from '../../registry/served-resource.ts';

/**
 * The request as `matchConstraints` matches it: in the version that a rule names, which may be another
 * one than that of the request (`matchPolicy: Equivalent`). Undefined when the policy is not about it.
 */
export function policyMatches(
  cluster: Cluster,
  { matchConstraints }: Json,
  request: AdmissionRequest,
): AdmissionRequest | undefined {
  if (!isObject(matchConstraints) || !selects(cluster, matchConstraints, request)) return undefined;
  const versions = versionsOf(cluster, matchConstraints, request);
  if (versions.some((served) => anyRule(matchConstraints.excludeResourceRules, served, request))) {
    return undefined;
  }
  const found = versions.find((served) => anyRule(matchConstraints.resourceRules, served, request));
  return found === undefined ? undefined : inVersion(found, request);
}

/** A binding narrows what its policy is about; without rules it narrows nothing but by selectors. */
export function bindingMatches(
  cluster: Cluster,
  { matchResources }: Json,
  request: AdmissionRequest,
): boolean {
  if (!isObject(matchResources)) return true;
  if (!selects(cluster, matchResources, request)) return false;
  const versions = versionsOf(cluster, matchResources, request);
  const { resourceRules, excludeResourceRules } = matchResources;
  if (versions.some((served) => anyRule(excludeResourceRules, served, request))) return false;
  if (!Array.isArray(resourceRules) || resourceRules.length === 0) return true;
  return versions.some((served) => anyRule(resourceRules, served, request));
}

/** The version of the request first, then those that are the same resource. */
function versionsOf(
  { registry }: Cluster,
  { matchPolicy }: Json,
  { served }: AdmissionRequest,
): readonly ServedResource[] {
  if (matchPolicy === 'Exact') return [served];
  const others = registry
    .all()
    .filter((other) => other.storedAs === served.storedAs && other !== served);
  return [served, ...others];
}

function inVersion(served: ServedResource, request: AdmissionRequest): AdmissionRequest {
  if (served === request.served) return request;
  const converted = (object: StoredObject | undefined): StoredObject | undefined =>
    object && fromStored(served, toStored(request.served, object));
  return {
    ...request,
    served,
    object: converted(request.object),
    previous: converted(request.previous),
  };
}

function selects(cluster: Cluster, constraints: Json, request: AdmissionRequest): boolean {
  const { namespaceSelector, objectSelector } = constraints;
  const labels = namespaceLabels(cluster, request);
  if (labels !== undefined && !matchesLabels(namespaceSelector, labels)) return false;
  const states = [request.object, request.previous].filter((state) => state !== undefined);
  return states.some(({ metadata }) => matchesLabels(objectSelector, metadata.labels ?? {}));
}

/** Undefined for a cluster-scoped object; a Namespace counts as in itself. */
function namespaceLabels(
  cluster: Cluster,
  { served, namespace, object, previous }: AdmissionRequest,
): Readonly<Record<string, string>> | undefined {
  if (isNamespace(served)) return (object ?? previous)?.metadata.labels ?? {};
  if (namespace === undefined) return undefined;
  return namespaceOf(cluster, namespace)?.metadata.labels ?? {};
}

export function namespaceOf({ storage }: Cluster, name: string): StoredObject | undefined {
  return storage.get('namespaces', objectKey(undefined, name));
}

function isNamespace({ group, plural }: ServedResource): boolean {
  return group === '' && plural === 'namespaces';
}

function matchesLabels(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (!isObject(selector)) return true;
  return matchesSelector(selectorFromObject(selector as LabelSelector), labels);
}

function anyRule(rules: unknown, served: ServedResource, request: AdmissionRequest): boolean {
  const list = Array.isArray(rules) ? rules.filter(isObject) : [];
  return list.some((rule) => ruleMatches(rule, served, request));
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

/** `pods`, `pods/status`, `pods/*`, `*` (no subresource) or `*` + `/scale`. */
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
