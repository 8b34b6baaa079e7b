import type { ProxyFilter } from '../../../operator/access/filter/proxy-filter.ts';
import { POD_NAMESPACE } from '../../../operator/access/placement.ts';
import type { RbacRole, RbacRoleBinding } from '../../../operator/access/rbac.ts';
import { customResourceDefinitions, events, leases } from '../../../operator/model/builtin.ts';
import type { Resource } from '../../../operator/model/resource.ts';
import { type Access, accessOf } from '../../../testing/src/apiserver/auth/access.ts';
import { bootstrapPolicy } from '../../../testing/src/apiserver/auth/bootstrap-policy.ts';
import {
  type PolicyRule,
  ruleAllows,
  rulesIn,
} from '../../../testing/src/apiserver/auth/policy-rule.ts';
import { NAMES, NAMESPACES, RESOURCES } from './declarations.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/** Where the Pod of every declaration is. */
const HOME = 'home';

const SUBRESOURCES = ['status', 'scale', 'finalizers', 'exec'];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'];

const QUERIES = [
  '',
  'watch=true',
  'fieldSelector=metadata.name%3Dweb',
  'watch=true&fieldSelector=metadata.name%3Dweb',
  'watch=true&fieldSelector=spec.x%3Dy%2Cmetadata.name%3D%3Dweb.a-1',
  'fieldSelector=metadata.name%3Dchosen',
];

const SECRETS: Resource = { ...RESOURCES[0], plural: 'secrets' } as Resource;

function pathsOf({ group, version, plural, namespaced }: Resource): readonly string[] {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scopes = namespaced ? NAMESPACES.map((namespace) => `/namespaces/${namespace}`) : [''];
  const objectNames = [...NAMES, 'b-leader', 'chancery-leader', 'things.a.example', 'system:x'];
  const objects = objectNames.flatMap((name) =>
    ['', ...SUBRESOURCES.map((subresource) => `/${subresource}`)].map((tail) => `/${name}${tail}`),
  );
  return [
    root,
    `${root}/${plural}`,
    `${root}/watch/${plural}`,
    `${root}/${plural}/`,
    ...scopes.flatMap((scope) =>
      ['', ...objects].map((tail) => `${root}${scope}/${plural}${tail}`),
    ),
  ];
}

/** Paths of all that declarations may name, and of more. */
export const PATHS: readonly string[] = [
  ...new Set([
    '/version',
    '/',
    '/api',
    '/apis',
    '/openapi/v3',
    '/metrics',
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    ...[...RESOURCES, SECRETS, leases, events, customResourceDefinitions].flatMap(pathsOf),
  ]),
];

const REQUESTS: ReadonlyMap<string, readonly Request[]> = new Map(
  PATHS.map((path) => [
    path,
    METHODS.flatMap((method) =>
      (method === 'GET' ? QUERIES : ['']).map((query) => ({ method, path, query })),
    ),
  ]),
);

/** Every request to one of `PATHS`, with each method and query. */
export function requestsTo(path: string): readonly Request[] {
  return REQUESTS.get(path) ?? [];
}

const ACCESSES = new WeakMap<Request, Access>();

/** What the embedded server takes a request for. */
export function accessOfRequest(request: Request): Access {
  const known = ACCESSES.get(request);
  if (known !== undefined) return known;
  const { method, path, query } = request;
  const access = accessOf(method, path, new URLSearchParams(query));
  ACCESSES.set(request, access);
  return access;
}

/** A filter as `kubectl proxy` in a Pod in `home` understands it. */
export class PodFilter {
  readonly #accept: readonly RegExp[];
  readonly #reject: readonly RegExp[];
  readonly #rejectMethods: readonly RegExp[];

  constructor({ acceptPaths, rejectPaths, rejectMethods }: ProxyFilter) {
    this.#accept = acceptPaths.map(inPod);
    this.#reject = rejectPaths.map(inPod);
    this.#rejectMethods = rejectMethods.map(inPod);
  }

  passesPath(path: string): boolean {
    return finds(this.#accept, path) && !finds(this.#reject, path);
  }

  passes({ method, path }: Request): boolean {
    return this.passesPath(path) && !finds(this.#rejectMethods, method);
  }
}

/** A pattern once the kubelet has written the namespace of the Pod into it. */
export function inPod(pattern: string): RegExp {
  return new RegExp(pattern.replaceAll(POD_NAMESPACE, HOME));
}

function finds(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

/** What everybody may do who is authenticated. */
const EVERYBODY = new Set(['system:basic-user', 'system:discovery', 'system:public-info-viewer']);

const COMMON: readonly PolicyRule[] = bootstrapPolicy()
  .filter(({ kind, metadata }) => kind === 'ClusterRole' && EVERYBODY.has(metadata.name))
  .flatMap(rulesIn);

/** What generated roles grant, by the rules of the embedded server. */
export class Rights {
  readonly #objects: readonly (RbacRole | RbacRoleBinding)[];
  readonly #known = new Map<string, readonly PolicyRule[]>();

  constructor(objects: readonly (RbacRole | RbacRoleBinding)[]) {
    this.#objects = objects;
  }

  /** The rules that hold in a namespace; '' for the cluster. */
  rulesIn(namespace: string): readonly PolicyRule[] {
    return this.#objects.flatMap((object) => {
      if (!('rules' in object)) return [];
      const isHere =
        object.kind === 'ClusterRole' || (object.metadata.namespace ?? HOME) === namespace;
      return isHere ? object.rules : [];
    });
  }

  grants(request: Request): boolean {
    const access = accessOfRequest(request);
    const namespace = 'resource' in access ? access.namespace : '';
    const rules = this.#known.get(namespace) ?? [...COMMON, ...this.rulesIn(namespace)];
    this.#known.set(namespace, rules);
    return rules.some((rule) => ruleAllows(rule, access));
  }
}
