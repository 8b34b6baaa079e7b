import type { Resource } from 'chancery';
import type { Subresource } from './served-resource.ts';

/** The discovery data of one built-in resource. */
export interface BuiltInResource extends Resource {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
}

const POD_SUBRESOURCES =
  'attach,binding,ephemeralcontainers,eviction,exec,log,portforward,proxy,resize,status';

/**
 * Each block begins with the group and version. Each further line is a resource: plural, kind, scope
 * (Namespaced or Cluster), short names, categories and subresources, with `-` for none. Groups, versions and
 * resources are in the order of kube-apiserver v1.36. The source is the recording `discovery`, and a test
 * compares both.
 */
const TABLE = `
v1
  bindings                         Binding                          N -        -   -
  componentstatuses                ComponentStatus                  C cs       -   -
  configmaps                       ConfigMap                        N cm       -   -
  endpoints                        Endpoints                        N ep       -   -
  events                           Event                            N ev       -   -
  limitranges                      LimitRange                       N limits   -   -
  namespaces                       Namespace                        C ns       -   finalize,status
  nodes                            Node                             C no       -   proxy,status
  persistentvolumeclaims           PersistentVolumeClaim            N pvc      -   status
  persistentvolumes                PersistentVolume                 C pv       -   status
  pods                             Pod                              N po       all ${POD_SUBRESOURCES}
  podtemplates                     PodTemplate                      N -        -   -
  replicationcontrollers           ReplicationController            N rc       all scale,status
  resourcequotas                   ResourceQuota                    N quota    -   status
  secrets                          Secret                           N -        -   -
  serviceaccounts                  ServiceAccount                   N sa       -   token
  services                         Service                          N svc      all proxy,status
apiregistration.k8s.io/v1
  apiservices                      APIService                       C -        api-extensions status
apps/v1
  controllerrevisions              ControllerRevision               N -        -   -
  daemonsets                       DaemonSet                        N ds       all status
  deployments                      Deployment                       N deploy   all scale,status
  replicasets                      ReplicaSet                       N rs       all scale,status
  statefulsets                     StatefulSet                      N sts      all scale,status
events.k8s.io/v1
  events                           Event                            N ev       -   -
authentication.k8s.io/v1
  selfsubjectreviews               SelfSubjectReview                C -        -   -
  tokenreviews                     TokenReview                      C -        -   -
authorization.k8s.io/v1
  localsubjectaccessreviews        LocalSubjectAccessReview         N -        -   -
  selfsubjectaccessreviews         SelfSubjectAccessReview          C -        -   -
  selfsubjectrulesreviews          SelfSubjectRulesReview           C -        -   -
  subjectaccessreviews             SubjectAccessReview              C -        -   -
autoscaling/v2
  horizontalpodautoscalers         HorizontalPodAutoscaler          N hpa      all status
autoscaling/v1
  horizontalpodautoscalers         HorizontalPodAutoscaler          N hpa      all status
batch/v1
  cronjobs                         CronJob                          N cj       all status
  jobs                             Job                              N -        all status
certificates.k8s.io/v1
  certificatesigningrequests       CertificateSigningRequest        C csr      -   approval,status
networking.k8s.io/v1
  ingressclasses                   IngressClass                     C -        -   -
  ingresses                        Ingress                          N ing      -   status
  ipaddresses                      IPAddress                        C ip       -   -
  networkpolicies                  NetworkPolicy                    N netpol   -   -
  servicecidrs                     ServiceCIDR                      C -        -   status
policy/v1
  poddisruptionbudgets             PodDisruptionBudget              N pdb      -   status
rbac.authorization.k8s.io/v1
  clusterrolebindings              ClusterRoleBinding               C -        -   -
  clusterroles                     ClusterRole                      C -        -   -
  rolebindings                     RoleBinding                      N -        -   -
  roles                            Role                             N -        -   -
storage.k8s.io/v1
  csidrivers                       CSIDriver                        C -        -   -
  csinodes                         CSINode                          C -        -   -
  csistoragecapacities             CSIStorageCapacity               N -        -   -
  storageclasses                   StorageClass                     C sc       -   -
  volumeattachments                VolumeAttachment                 C -        -   status
  volumeattributesclasses          VolumeAttributesClass            C vac      -   -
admissionregistration.k8s.io/v1
  mutatingadmissionpolicies        MutatingAdmissionPolicy          C -        api-extensions -
  mutatingadmissionpolicybindings  MutatingAdmissionPolicyBinding   C -        api-extensions -
  mutatingwebhookconfigurations    MutatingWebhookConfiguration     C -        api-extensions -
  validatingadmissionpolicies      ValidatingAdmissionPolicy        C -        api-extensions status
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding C -       api-extensions -
  validatingwebhookconfigurations  ValidatingWebhookConfiguration   C -        api-extensions -
apiextensions.k8s.io/v1
  customresourcedefinitions        CustomResourceDefinition         C crd,crds api-extensions status
scheduling.k8s.io/v1
  priorityclasses                  PriorityClass                    C pc       -   -
coordination.k8s.io/v1
  leases                           Lease                            N -        -   -
node.k8s.io/v1
  runtimeclasses                   RuntimeClass                     C -        -   -
discovery.k8s.io/v1
  endpointslices                   EndpointSlice                    N -        -   -
resource.k8s.io/v1
  deviceclasses                    DeviceClass                      C -        -   -
  resourceclaims                   ResourceClaim                    N -        -   status
  resourceclaimtemplates           ResourceClaimTemplate            N -        -   -
  resourceslices                   ResourceSlice                    C -        -   -
flowcontrol.apiserver.k8s.io/v1
  flowschemas                      FlowSchema                       C -        -   status
  prioritylevelconfigurations      PriorityLevelConfiguration       C -        -   status
`;

/**
 * Versions of StorageVersionMigrations. The release and the server's options decide which of them are served.
 */
const MIGRATIONS = `
storagemigration.k8s.io/v1
  storageversionmigrations         StorageVersionMigration          C -        -   status
storagemigration.k8s.io/v1beta1
  storageversionmigrations         StorageVersionMigration          C -        -   status
`;

/** Versions that older releases serve, with the same fields as their replacement. */
const OLDER = `
autoscaling/v2beta2
  horizontalpodautoscalers         HorizontalPodAutoscaler          N hpa      all status
batch/v1beta1
  cronjobs                         CronJob                          N cj       all status
policy/v1beta1
  poddisruptionbudgets             PodDisruptionBudget              N pdb      -   status
storage.k8s.io/v1beta1
  csistoragecapacities             CSIStorageCapacity               N -        -   -
node.k8s.io/v1beta1
  runtimeclasses                   RuntimeClass                     C -        -   -
flowcontrol.apiserver.k8s.io/v1beta3
  flowschemas                      FlowSchema                       C -        -   status
  prioritylevelconfigurations      PriorityLevelConfiguration       C -        -   status
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

/**
 * The verbs of subresources that represent some fields of an object, such as status, and the verbs of
 * connections to a container.
 */
const PART: readonly string[] = ['get', 'patch', 'update'];
const STREAM: readonly string[] = ['create', 'get'];

/**
 * Kinds that can be created but are not stored. Their objects are queries, such as a SubjectAccessReview, or
 * requests for an action, such as a Binding.
 */
const WRITE_ONLY: ReadonlySet<string> = new Set([
  'Binding',
  'LocalSubjectAccessReview',
  'SelfSubjectAccessReview',
  'SelfSubjectReview',
  'SelfSubjectRulesReview',
  'SubjectAccessReview',
  'TokenReview',
]);

export const SCALE: Subresource = {
  name: 'scale',
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  verbs: ['get', 'patch', 'update'],
};

export const BUILT_IN_RESOURCES: readonly BuiltInResource[] = parseTable(TABLE);
export const MIGRATION_RESOURCES: readonly BuiltInResource[] = parseTable(MIGRATIONS);
export const OLDER_RESOURCES: readonly BuiltInResource[] = parseTable(OLDER);

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
  if (WRITE_ONLY.has(kind)) return ['create'];
  if (kind === 'ComponentStatus') return ['get', 'list'];
  // Namespaces can only be deleted one by one, and not as a collection.
  return kind === 'Namespace' ? ALL_VERBS.filter((verb) => verb !== 'deletecollection') : ALL_VERBS;
}

function subresource(name: string, kind: string): Subresource {
  switch (name) {
    case 'scale':
      return SCALE;
    case 'eviction':
      return { name, group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] };
    case 'token':
      return {
        name,
        group: 'authentication.k8s.io',
        version: 'v1',
        kind: 'TokenRequest',
        verbs: ['create'],
      };
    case 'binding':
      return { name, kind: 'Binding', verbs: ['create'] };
    case 'attach':
      return { name, kind: 'PodAttachOptions', verbs: STREAM };
    case 'exec':
      return { name, kind: 'PodExecOptions', verbs: STREAM };
    case 'portforward':
      return { name, kind: 'PodPortForwardOptions', verbs: STREAM };
    case 'proxy':
      return {
        name,
        kind: `${kind}ProxyOptions`,
        verbs: ['create', 'delete', 'get', 'patch', 'update'],
      };
    case 'log':
      return { name, kind, verbs: ['get'] };
    case 'finalize':
      return { name, kind, verbs: ['update'] };
    default:
      return { name, kind, verbs: PART };
  }
}
