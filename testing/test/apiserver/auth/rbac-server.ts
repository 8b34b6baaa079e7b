import type { KubernetesObject } from 'chancery';
import { onTestFinished } from 'vitest';
import { ApiServer, type ApiServerOptions } from '../../../src/apiserver/api-server.ts';

/** A server on which Roles count, with the namespace `demo`. */
export async function rbacServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await ApiServer.start({ authorization: 'RBAC', ...options });
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  return server;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined for a body that is not JSON. */
  readonly body: {
    readonly message?: string;
    readonly reason?: string;
    readonly details?: unknown;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly spec?: Readonly<Record<string, unknown>>;
    readonly status?: unknown;
  };
}

export async function send(
  url: string,
  path: string,
  { method = 'GET', body, headers = {} }: SendOptions = {},
): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : {}) as Answer['body'],
  };
}

interface SendOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const GROUP = 'rbac.authorization.k8s.io';

export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** @param namespace - undefined for a ClusterRole. */
export function role(
  name: string,
  namespace: string | undefined,
  ...rules: readonly Rule[]
): KubernetesObject {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion: `${GROUP}/v1`, kind, metadata, rules } as KubernetesObject;
}

/** @param ref - as `Role/name`. @param subject - as `User/name` or `ServiceAccount/name`. */
export function binding(
  name: string,
  namespace: string | undefined,
  ref: string,
  subject: string,
): KubernetesObject {
  const [kind, roleName] = ref.split('/');
  const [subjectKind = '', ...subjectName] = subject.split('/');
  const who = { kind: subjectKind, name: subjectName.join('/') };
  return {
    apiVersion: `${GROUP}/v1`,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: namespace === undefined ? { name } : { name, namespace },
    roleRef: { apiGroup: GROUP, kind, name: roleName },
    subjects: [
      subjectKind === 'ServiceAccount'
        ? { ...who, namespace: namespace ?? 'demo' }
        : { ...who, apiGroup: GROUP },
    ],
  } as KubernetesObject;
}

export const CONFIG_MAPS = '/api/v1/namespaces/demo/configmaps';

/** Grants `rules` in `demo` to a user. */
export function grant(server: ApiServer, user: string, ...rules: readonly Rule[]): void {
  server.create(role(`of-${user}`, 'demo', ...rules));
  server.create(binding(`to-${user}`, 'demo', `Role/of-${user}`, `User/${user}`));
}
