import type { KubernetesObject } from 'chancery';
import { COMPONENT_BINDINGS, COMPONENT_ROLES } from './component-roles.ts';
import type { PolicyRule } from './policy-rule.ts';
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from './user.ts';

const GROUP = 'rbac.authorization.k8s.io';

const READ = 'get,list,watch';
const WRITE = 'create,delete,deletecollection,patch,update';
const ALL = 'create,delete,deletecollection,get,list,patch,update,watch';

/** One rule per line: group, verbs and resources. The group `core` stands for the group without a name. */
const VIEW = `
core ${READ} configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status
core ${READ} bindings,events,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status
core ${READ} namespaces
discovery.k8s.io ${READ} endpointslices
apps ${READ} controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status
autoscaling ${READ} horizontalpodautoscalers,horizontalpodautoscalers/status
batch ${READ} cronjobs,cronjobs/status,jobs,jobs/status
extensions ${READ} daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale
policy ${READ} poddisruptionbudgets,poddisruptionbudgets/status
networking.k8s.io ${READ} ingresses,ingresses/status,networkpolicies
resource.k8s.io ${READ} resourceclaims,resourceclaims/status,resourceclaimtemplates
`;

const EDIT = `
core ${READ} pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
core impersonate serviceaccounts
core ${WRITE} pods,pods/attach,pods/exec,pods/portforward,pods/proxy
core create pods/eviction
core ${WRITE} configmaps,events,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy
core create serviceaccounts/token
apps ${WRITE} daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale
autoscaling ${WRITE} horizontalpodautoscalers
batch ${WRITE} cronjobs,jobs
extensions ${WRITE} daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale
policy ${WRITE} poddisruptionbudgets
networking.k8s.io ${WRITE} ingresses,networkpolicies
coordination.k8s.io ${ALL} leases
resource.k8s.io ${WRITE} resourceclaims,resourceclaimtemplates
`;

const ADMIN = `
authorization.k8s.io create localsubjectaccessreviews
${GROUP} ${ALL} rolebindings,roles
`;

const HEALTH = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

/**
 * The roles and bindings that a cluster starts with. Sources: the documentation of RBAC (default
 * roles), the rules that a recorded server lists for an administrator, and, for Kubernetes' own
 * components, the roles that kube-apiserver v1.36.2 creates.
 */
export function bootstrapPolicy(): readonly KubernetesObject[] {
  return [
    clusterRole('cluster-admin', [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ]),
    clusterRole('system:discovery', [
      {
        nonResourceURLs: [
          ...['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*'],
          ...['/readyz', '/version', '/version/'],
        ],
        verbs: ['get'],
      },
    ]),
    clusterRole('system:basic-user', [
      {
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        verbs: ['create'],
      },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['selfsubjectreviews'],
        verbs: ['create'],
      },
    ]),
    clusterRole('system:public-info-viewer', [{ nonResourceURLs: HEALTH, verbs: ['get'] }]),
    aggregated('admin', 'admin'),
    aggregated('edit', 'edit', 'admin'),
    aggregated('view', 'view', 'edit'),
    clusterRole('system:aggregate-to-admin', rulesOf(ADMIN), 'admin'),
    clusterRole('system:aggregate-to-edit', rulesOf(EDIT), 'edit'),
    clusterRole('system:aggregate-to-view', rulesOf(VIEW), 'view'),
    binding('system:basic-user', [AUTHENTICATED]),
    binding('system:discovery', [AUTHENTICATED]),
    binding('cluster-admin', [MASTERS]),
    binding('system:public-info-viewer', [AUTHENTICATED, UNAUTHENTICATED]),
    ...componentRoles(),
    ...COMPONENT_BINDINGS.trim().split('\n').map(componentBinding),
  ];
}

function componentRoles(): readonly KubernetesObject[] {
  return COMPONENT_ROLES.trim()
    .split(/\n(?! )/)
    .map((text) => {
      const [name = '', ...rules] = text.split('\n');
      return {
        apiVersion: `${GROUP}/v1`,
        kind: name.includes('/') ? 'Role' : 'ClusterRole',
        metadata: { ...placeOf(name), ...marks({}) },
        rules: rules.map((rule) => componentRule(rule.trim())),
      } as KubernetesObject;
    });
}

function componentRule(line: string): PolicyRule {
  const [verbs = '', groups = '', targets = '', names] = line.split(' ');
  const what = { verbs: verbs.split(',') };
  if (groups === 'urls') return { ...what, nonResourceURLs: targets.split(',') };
  return {
    ...what,
    apiGroups: groups.split(',').map((group) => (group === 'core' ? '' : group)),
    resources: targets.split(','),
    ...(names === undefined ? {} : { resourceNames: names.split(',') }),
  };
}

function componentBinding(line: string): KubernetesObject {
  const [name = '', role = '', subjects = ''] = line.split(' ');
  const [kind, roleName] = role.split('/');
  return {
    apiVersion: `${GROUP}/v1`,
    kind: name.includes('/') ? 'RoleBinding' : 'ClusterRoleBinding',
    metadata: { ...placeOf(name), ...marks({}) },
    ...(subjects === '-' ? {} : { subjects: subjects.split(',').map(componentSubject) }),
    roleRef: { apiGroup: GROUP, kind, name: roleName },
  } as KubernetesObject;
}

/**
 * `ServiceAccount:NAMESPACE:NAME`, `User:NAME` or `Group:NAME`. In the last two, NAME may contain colons.
 */
function componentSubject(text: string): object {
  const [kind, ...rest] = text.split(':');
  if (kind !== 'ServiceAccount') return { kind, apiGroup: GROUP, name: rest.join(':') };
  const [namespace, name] = rest;
  return { kind, name, namespace };
}

function placeOf(name: string): KubernetesObject['metadata'] {
  const [namespace = '', own] = name.split('/');
  return own === undefined ? { name } : { namespace, name: own };
}

function rulesOf(table: string): readonly PolicyRule[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [group = '', verbs = '', resources = ''] = line.split(' ');
      return {
        apiGroups: [group === 'core' ? '' : group],
        resources: resources.split(','),
        verbs: verbs.split(','),
      };
    });
}

/** @param into - the role into which this role is aggregated. */
function clusterRole(
  name: string,
  rules: readonly PolicyRule[] | undefined,
  into?: string,
  rest: object = {},
): KubernetesObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: {
      name,
      ...marks(into === undefined ? {} : { [aggregateTo(into)]: 'true' }),
    },
    ...(rules === undefined ? {} : { rules }),
    ...rest,
  } as KubernetesObject;
}

function aggregated(name: string, from: string, into?: string): KubernetesObject {
  const clusterRoleSelectors = [{ matchLabels: { [aggregateTo(from)]: 'true' } }];
  return clusterRole(name, undefined, into, { aggregationRule: { clusterRoleSelectors } });
}

function aggregateTo(role: string): string {
  return `${GROUP}/aggregate-to-${role}`;
}

function binding(name: string, groups: readonly string[]): KubernetesObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, ...marks({}) },
    subjects: groups.map((group) => ({ kind: 'Group', apiGroup: GROUP, name: group })),
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
  } as KubernetesObject;
}

/** The labels and annotations that mark the roles and bindings that kube-apiserver creates. */
function marks(
  labels: Readonly<Record<string, string>>,
): Pick<KubernetesObject['metadata'], 'labels' | 'annotations'> {
  return {
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
}
