import type { Resource } from '../../../model/resource.ts';
import type { Subresource } from './served-resource.ts';

/** What discovery says about one built-in resource. */
export interface BuiltInResource extends Resource {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
}

/**
 * Group and version, then: plural, kind, scope (Namespaced or Cluster), short names, categories,
 * subresources; `-` for none. Groups and resources stand in the order of discovery.
 */
const TABLE = `
v1
  configmaps             ConfigMap             N cm     -   -
  endpoints              Endpoints             N ep     -   -
  events                 Event                 N ev     -   -
  limitranges            LimitRange            N limits -   -
  namespaces             Namespace             C ns     -   finalize,status
  nodes                  Node                  C no     -   status
  persistentvolumeclaims PersistentVolumeClaim N pvc    -   status
  persistentvolumes      PersistentVolume      C pv     -   status
  pods                   Pod                   N po     all eviction,status
  podtemplates           PodTemplate           N -      -   -
  replicationcontrollers ReplicationController N rc     all scale,status
  resourcequotas         ResourceQuota         N quota  -   status
  secrets                Secret                N -      -   -
  serviceaccounts        ServiceAccount        N sa     -   -
  services               Service               N svc    all status
apps/v1
  controllerrevisions    ControllerRevision    N -      -   -
  daemonsets             DaemonSet             N ds     all status
  deployments            Deployment            N deploy all scale,status
  replicasets            ReplicaSet            N rs     all scale,status
  statefulsets           StatefulSet           N sts    all scale,status
events.k8s.io/v1
  events                 Event                 N ev     -   -
authorization.k8s.io/v1
  selfsubjectaccessreviews SelfSubjectAccessReview C - - -
  selfsubjectrulesreviews  SelfSubjectRulesReview  C - - -
autoscaling/v2
  horizontalpodautoscalers HorizontalPodAutoscaler N hpa all status
batch/v1
  cronjobs               CronJob               N cj     all status
  jobs                   Job                   N -      all status
networking.k8s.io/v1
  ingressclasses         IngressClass          C -      -   -
  ingresses              Ingress               N ing    -   status
  networkpolicies        NetworkPolicy         N netpol -   -
policy/v1
  poddisruptionbudgets   PodDisruptionBudget   N pdb    -   status
rbac.authorization.k8s.io/v1
  clusterrolebindings    ClusterRoleBinding    C -      -   -
  clusterroles           ClusterRole           C -      -   -
  rolebindings           RoleBinding           N -      -   -
  roles                  Role                  N -      -   -
storage.k8s.io/v1
  storageclasses         StorageClass          C sc     -   -
apiextensions.k8s.io/v1
  customresourcedefinitions CustomResourceDefinition C crd,crds api-extensions status
scheduling.k8s.io/v1
  priorityclasses        PriorityClass         C pc     -   -
coordination.k8s.io/v1
  leases                 Lease                 N -      -   -
discovery.k8s.io/v1
  endpointslices         EndpointSlice         N -      -   -
`;

export const ALL_VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** Kinds that are questions: asked by a create, stored nowhere. */
const REVIEWS: ReadonlySet<string> = new Set(['SelfSubjectAccessReview', 'SelfSubjectRulesReview']);

export const SCALE: Subresource = {
  name: 'scale',
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  verbs: ['get', 'patch', 'update'],
};

export const BUILT_IN_RESOURCES: readonly BuiltInResource[] = parseTable(TABLE);

function parseTable(table: string): readonly BuiltInResource[] {
  const resources: BuiltInResource[] = [];
  let [group, version] = ['', ''];
  for (const line of table.split('\n').filter((text) => text.trim() !== '')) {
    const [plural = '', kind = '', scope, shortNames = '-', categories = '-', names = '-'] = line
      .trim()
      .split(/\s+/);
    if (!line.startsWith(' ')) {
      const slash = plural.indexOf('/');
      group = plural.slice(0, Math.max(slash, 0));
      version = plural.slice(slash + 1);
      continue;
    }
    resources.push({
      group,
      version,
      plural,
      kind,
      namespaced: scope === 'N',
      singular: kind.toLowerCase(),
      shortNames: cell(shortNames),
      categories: cell(categories),
      verbs: verbsOf(kind),
      subresources: cell(names).map((name) => subresource(name, kind)),
    });
  }
  return resources;
}

function cell(text: string): readonly string[] {
  return text === '-' ? [] : text.split(',');
}

function verbsOf(kind: string): readonly string[] {
  if (REVIEWS.has(kind)) return ['create'];
  // The namespaces of a cluster cannot be deleted with one request.
  return kind === 'Namespace' ? ALL_VERBS.filter((verb) => verb !== 'deletecollection') : ALL_VERBS;
}

function subresource(name: string, kind: string): Subresource {
  if (name === 'scale') return SCALE;
  if (name === 'eviction') {
    return { name, group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] };
  }
  if (name === 'finalize') return { name, kind, verbs: ['update'] };
  return { name, kind, verbs: ['get', 'patch', 'update'] };
}
