import { REJECT_PATHS } from '../../access/filter/filter-problems.ts';
import { METHOD_OF } from '../../access/merge-access.ts';
import { pathOf, type RequestPath, requestPath } from '../../access/request-path.ts';
import type { PolicyRule, RoleRef, Subject } from '../../model/kubernetes/rbac-v1.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Installation } from './installation.ts';
import { homeOf, type PathPattern, readable } from './path-pattern.ts';
import { elementsOf } from './proxy-flags.ts';

/** One verb on one resource in one place, as RBAC grants it. */
export interface Right {
  readonly group: string;
  readonly plural: string;
  readonly subresource: string | undefined;
  readonly verb: string;
  /** The names of objects that the right covers. Undefined if it covers every name. */
  readonly names: readonly string[] | undefined;
  /** The namespace in which the role applies. Undefined if it applies to the whole cluster. */
  readonly namespace: string | undefined;
  /** `Kind/name` of the role. */
  readonly role: string;
}

const METHODS: Readonly<Record<string, string>> = METHOD_OF;

/**
 * True for a verb that requests can have. Other verbs, such as `use`, are checked only by admission
 * plugins.
 */
export function isRequested({ verb }: Pick<Right, 'verb'>): boolean {
  return Object.hasOwn(METHODS, verb);
}

/** The verbs of requests whose path is the path of a collection. */
const OF_COLLECTION = ['list', 'watch', 'create', 'deletecollection'];

/** Names that no manifest contains. A pattern that accepts them accepts all names. */
const ANY_NAMESPACE = 'any-other-namespace';
const ANY_NAME = 'any-other-name';

/** The granted rights, each with one verb. Another rule checks wildcards. */
export function rightsOf(grants: readonly Grant[]): readonly Right[] {
  return grants.flatMap(({ rules = [], namespace, role }) =>
    rules.flatMap((rule) => rightsOfRule(rule).map((right) => ({ ...right, namespace, role }))),
  );
}

function rightsOfRule(rule: PolicyRule): readonly Omit<Right, 'namespace' | 'role'>[] {
  const { apiGroups, resources, verbs, resourceNames } = rule;
  const names = (resourceNames ?? []).length > 0 ? (resourceNames ?? []) : undefined;
  return (apiGroups ?? []).flatMap((group) =>
    (resources ?? []).flatMap((resource) => {
      const [plural = '', subresource] = resource.split('/');
      return verbs.map((verb) => ({ group, plural, subresource, verb, names }));
    }),
  );
}

/** True when the filter allows a request that needs this right. */
export function isOpen(right: Right, { accepted, flags }: Installation): boolean {
  const patterns = readable(accepted);
  const rejectedMethods = expressions(flags.values.get('reject-methods')?.value ?? '');
  const rejectedPaths = expressions(
    flags.values.get('reject-paths')?.value ?? REJECT_PATHS.join(','),
  );
  return requestsNeeding(right, patterns).some(
    ({ method, path }) =>
      patterns.some(({ expression }) => expression.test(path)) &&
      !rejectedMethods.some((expression) => expression.test(method)) &&
      !rejectedPaths.some((expression) => expression.test(path)),
  );
}

/** Ignores invalid expressions, which another rule reports. */
function expressions(list: string): readonly RegExp[] {
  return elementsOf(list).flatMap((element) => {
    try {
      return [new RegExp(element)];
    } catch {
      return [];
    }
  });
}

interface Request {
  readonly method: string;
  readonly path: string;
}

/**
 * Requests for which a client needs this right, in each API version for which the filter contains
 * paths.
 */
function requestsNeeding(right: Right, patterns: readonly PathPattern[]): readonly Request[] {
  const { group, plural, subresource, verb, namespace } = right;
  const known = patterns.flatMap(({ samples }) => samples.map(requestPath));
  const versions = new Set(known.flatMap((path) => (path?.group === group ? [path.version] : [])));
  const inNamespace = isOfNamespace(right) ? undefined : namespace;
  const places = namespace === undefined ? [undefined, ANY_NAMESPACE] : [inNamespace];
  return targetsOf(right).flatMap(({ method = METHODS[verb] ?? '', name }) =>
    [...versions].flatMap((version) =>
      places.map((place) => ({
        method,
        path: pathOf({ group, version, namespace: place, plural, name, subresource }),
      })),
    ),
  );
}

/**
 * The targets of a right: the collection, or objects by name. The right to `create` also has
 * objects as targets, because a patch that creates an object needs this right.
 */
function targetsOf(right: Right): readonly {
  readonly method?: string;
  readonly name: string | undefined;
}[] {
  const { verb, names, subresource } = right;
  if (isOfNamespace(right)) return [{ name: right.namespace }];
  const objects = (names ?? [ANY_NAME]).map((name) => ({ name }));
  if (subresource !== undefined || !OF_COLLECTION.includes(verb)) return objects;
  const collection = { name: undefined };
  if (verb !== 'create') return [collection];
  return [collection, ...objects.map(({ name }) => ({ name, method: 'PATCH' }))];
}

/** The requests that a pattern allows, with the widest namespace and name that it accepts. */
export function requestsOf({ samples, expression }: PathPattern): readonly RequestPath[] {
  const widened = samples.flatMap((sample) => {
    const request = requestPath(sample);
    return request === undefined ? [] : [pathOf(widen(request, expression))];
  });
  return [...new Set(widened)].flatMap((path) => requestPath(path) ?? []);
}

function widen(request: RequestPath, expression: RegExp): RequestPath {
  let widest = request;
  if (request.namespace !== undefined)
    widest = tried(widest, { namespace: ANY_NAMESPACE }, expression);
  if (request.name !== undefined) widest = tried(widest, { name: ANY_NAME }, expression);
  return widest;
}

function tried(
  request: RequestPath,
  change: Partial<RequestPath>,
  expression: RegExp,
): RequestPath {
  const changed = { ...request, ...change };
  return expression.test(pathOf(changed)) ? changed : request;
}

/** True when one of the rights allows a request to this path, with any method. */
export function isGranted(request: RequestPath, rights: readonly Right[]): boolean {
  const { group, plural, subresource, namespace, name } = request;
  return rights.some(
    (right) =>
      right.group === group &&
      right.plural === plural &&
      right.subresource === subresource &&
      (right.namespace === undefined ||
        right.namespace === (isOfNamespace(right) ? name : namespace)) &&
      (name === undefined ? isOfCollection(right) : isOfObject(right, name)),
  );
}

/**
 * True for a right on a Namespace that is granted by a Role in the same namespace. For RBAC, the
 * object `farm` of the kind Namespace is in the namespace `farm`.
 */
function isOfNamespace({ group, plural, namespace }: Right): boolean {
  return group === '' && plural === 'namespaces' && namespace !== undefined;
}

function isOfCollection({ verb, subresource }: Right): boolean {
  return subresource === undefined && OF_COLLECTION.includes(verb);
}

/**
 * True when the right allows requests to the path of an object with this name. A right to `create`
 * allows such a request only for server-side apply, because the path of a POST contains no name. If
 * the right to `create` is limited to names, only these names count. If it is not limited, every
 * single name counts, but not a pattern for all names: a role has no versions, so an unlimited
 * right may have replaced a named right of another version, whose path is still in the filter.
 */
function isOfObject(right: Right, name: string): boolean {
  const { verb, names } = right;
  if (verb === 'create' && isOfCollection(right) && names === undefined) return name !== ANY_NAME;
  if (isOfCollection(right) && verb !== 'create') return false;
  return names === undefined || names.includes(name);
}

/** A binding for the operator's account, with the rules that it grants. */
export interface Grant {
  /** `Kind/name` of the binding. */
  readonly binding: string;
  readonly subjects: readonly Subject[];
  /** `Kind/name` of the role. */
  readonly role: string;
  /** The namespace in which the role applies. Undefined if it applies to the whole cluster. */
  readonly namespace: string | undefined;
  /** The rules of the role. Undefined when the role is not among the rendered objects. */
  readonly rules: readonly PolicyRule[] | undefined;
}

interface Binding extends KubernetesObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | null;
}

/** A Pod, together with the objects that are rendered with it. */
export type PodAndObjects = Pick<Installation, 'pod' | 'namespace' | 'objects'>;

/** All rendered bindings that grant rights to the account of this Pod. */
export function grantsOf(installation: PodAndObjects): readonly Grant[] {
  const home = homeOf(installation);
  return installation.objects
    .filter(isBinding)
    .filter(({ subjects }) => (subjects ?? []).some((each) => isOwnAccount(each, installation)))
    .map(({ kind, metadata, roleRef, subjects }) => {
      const place = kind === 'ClusterRoleBinding' ? undefined : (metadata.namespace ?? home);
      return {
        binding: `${kind}/${metadata.name}`,
        subjects: subjects ?? [],
        role: `${roleRef.kind}/${roleRef.name}`,
        namespace: place,
        rules: rulesOf(roleRef, place, installation),
      };
    });
}

/** True when a subject is exactly the ServiceAccount of the Pod, not a group that contains it. */
export function isOwnAccount(subject: Subject, installation: PodAndObjects): boolean {
  const { pod, namespace } = installation;
  const home = homeOf(installation);
  return (
    subject.kind === 'ServiceAccount' &&
    subject.name === pod.serviceAccountName &&
    (namespace === undefined || (subject.namespace ?? home) === home)
  );
}

function rulesOf(
  { kind, name }: RoleRef,
  place: string | undefined,
  installation: PodAndObjects,
): readonly PolicyRule[] | undefined {
  const role = installation.objects.find(
    (object) =>
      object.kind === kind &&
      object.metadata.name === name &&
      (kind === 'ClusterRole' || (object.metadata.namespace ?? homeOf(installation)) === place),
  );
  return role === undefined ? undefined : ((role as { rules?: PolicyRule[] | null }).rules ?? []);
}

function isBinding(object: KubernetesObject): object is Binding {
  return object.kind === 'RoleBinding' || object.kind === 'ClusterRoleBinding';
}
