/** Writes of what no declaration has. */
import { deploymentSpec, HOME, type Write } from '../garden.ts';
import { APPS, CORE, elsewhere, LEASES, NET, named, OWN, of, type Row } from './row.ts';

/** Names, kinds, namespaces and subresources that nobody declares. */
export function undeclared(): Write[] {
  const config = (name: string) => named('v1', 'ConfigMap', name, { data: { a: '2' } });
  const lease = (name: string) =>
    named('coordination.k8s.io/v1', 'Lease', name, { spec: { holderIdentity: 'me' } });
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const role = { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
  const bound = {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'everything' },
    subjects: [{ kind: 'ServiceAccount', name: 'admin', namespace: HOME }],
  };
  const pod = named('v1', 'Pod', 'n', { spec: { containers: [{ name: 'c', image: 'c' }] } });
  const job = {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'c' }] } },
  };
  const posts: Row[] = [
    ['another ConfigMap is created', `${CORE}/configmaps`, config('n')],
    ['a ConfigMap of a similar name is created', `${CORE}/configmaps`, config('tools-2')],
    ['a ConfigMap of a shorter name is created', `${CORE}/configmaps`, config('tool')],
    [
      'a ConfigMap with a generated name is created',
      `${CORE}/configmaps`,
      { ...config('n'), metadata: { generateName: 'tools' } },
    ],
    [
      'the ConfigMap is created elsewhere',
      `/api/v1/namespaces/default/configmaps`,
      config('tools'),
    ],
    ['another Lease is created', LEASES, lease('n')],
    ['a Lease of a similar name is created', LEASES, lease('gardener-leader-2')],
    ['the Lease is created elsewhere', elsewhere(LEASES), lease('gardener-leader')],
    [
      'a Lease of a node is created',
      '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      lease('node'),
    ],
    ['a Secret is created', `${CORE}/secrets`, named('v1', 'Secret', 'n')],
    [
      'a Secret for a ServiceAccount is created',
      `${CORE}/secrets`,
      named(
        'v1',
        'Secret',
        'n',
        { type: 'kubernetes.io/service-account-token' },
        { annotations: { 'kubernetes.io/service-account.name': 'admin' } },
      ),
    ],
    ['a Pod is created', `${CORE}/pods`, pod],
    [
      'a Pod is created with its ServiceAccount',
      `${CORE}/pods`,
      {
        ...pod,
        spec: { ...pod, serviceAccountName: 'admin', containers: [{ name: 'c', image: 'c' }] },
      },
    ],
    ['a ServiceAccount is created', `${CORE}/serviceaccounts`, named('v1', 'ServiceAccount', 'n')],
    ['a Namespace is created', '/api/v1/namespaces', named('v1', 'Namespace', 'n')],
    ['a Node is created', '/api/v1/nodes', named('v1', 'Node', 'n')],
    [
      'a Job is created',
      `/apis/batch/v1/namespaces/${HOME}/jobs`,
      named('batch/v1', 'Job', 'n', { spec: job }),
    ],
    [
      'a CronJob is created',
      `/apis/batch/v1/namespaces/${HOME}/cronjobs`,
      named('batch/v1', 'CronJob', 'n', {
        spec: { schedule: '* * * * *', jobTemplate: { spec: job } },
      }),
    ],
    [
      'a DaemonSet is created',
      `${APPS}/daemonsets`,
      named('apps/v1', 'DaemonSet', 'n', { spec: deploymentSpec }),
    ],
    [
      'a ReplicaSet is created',
      `${APPS}/replicasets`,
      named('apps/v1', 'ReplicaSet', 'n', { spec: deploymentSpec }),
    ],
    [
      'a NetworkPolicy is created',
      `${NET}/networkpolicies`,
      named('networking.k8s.io/v1', 'NetworkPolicy', 'n', { spec: { podSelector: {} } }),
    ],
    [
      'a disruption budget is created',
      `/apis/policy/v1/namespaces/${HOME}/poddisruptionbudgets`,
      named('policy/v1', 'PodDisruptionBudget', 'n', { spec: { selector: {}, minAvailable: 1 } }),
    ],
    [
      'a Role is created',
      `${rbac}/namespaces/${HOME}/roles`,
      named('rbac.authorization.k8s.io/v1', 'Role', 'n', role),
    ],
    [
      'a RoleBinding is created',
      `${rbac}/namespaces/${HOME}/rolebindings`,
      named('rbac.authorization.k8s.io/v1', 'RoleBinding', 'n', bound),
    ],
    [
      'a ClusterRole is created',
      `${rbac}/clusterroles`,
      named('rbac.authorization.k8s.io/v1', 'ClusterRole', 'n', role),
    ],
    [
      'a ClusterRoleBinding is created',
      `${rbac}/clusterrolebindings`,
      named('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'n', bound),
    ],
    [
      'a PriorityClass is created',
      '/apis/scheduling.k8s.io/v1/priorityclasses',
      named('scheduling.k8s.io/v1', 'PriorityClass', 'n', { value: 1 }),
    ],
    [
      'a StorageClass is created',
      '/apis/storage.k8s.io/v1/storageclasses',
      named('storage.k8s.io/v1', 'StorageClass', 'n', { provisioner: 'x' }),
    ],
    [
      'a PersistentVolume is created',
      '/api/v1/persistentvolumes',
      named('v1', 'PersistentVolume', 'n', {
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: '/' },
        },
      }),
    ],
    [
      'a token of another ServiceAccount is made',
      `${CORE}/serviceaccounts/admin/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    ],
    [
      'a token of its own is made',
      `${CORE}/serviceaccounts/gardener/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    ],
    ['a Pod is evicted', `${CORE}/pods/p/eviction`, named('policy/v1', 'Eviction', 'p')],
    [
      'a Pod is bound to a node',
      `${CORE}/pods/p/binding`,
      named('v1', 'Binding', 'p', { target: { kind: 'Node', name: 'node' } }),
    ],
    [
      'a Pod is bound by a Binding',
      `${CORE}/bindings`,
      named('v1', 'Binding', 'p', { target: { kind: 'Node', name: 'node' } }),
    ],
    ['a program is started in a Pod', `${CORE}/pods/p/exec?command=sh`],
    ['a Pod is attached to', `${CORE}/pods/p/attach`],
    ['a port of a Pod is forwarded', `${CORE}/pods/p/portforward`],
    ['a Pod is connected to', `${CORE}/pods/p/proxy`],
    ['a Service is connected to', `${CORE}/services/own/proxy`],
    ['a node is connected to', '/api/v1/nodes/node/proxy'],
  ];
  const patches: Row[] = [
    ['another ConfigMap is changed', `${CORE}/configmaps/other`, { data: { a: '2' } }],
    [
      'the ConfigMap is changed elsewhere',
      elsewhere(`${CORE}/configmaps/tools`),
      { data: { a: '2' } },
    ],
    ['another Lease is taken', `${LEASES}/other`, { spec: { holderIdentity: 'me' } }],
    ['a Secret is changed', `${CORE}/secrets/s`, { data: { a: 'Mg==' } }],
    ['a Pod is labelled', `${CORE}/pods/p`, { metadata: { labels: { x: 'y' } } }],
    ['a Pod gets a deadline', `${CORE}/pods/p`, { spec: { activeDeadlineSeconds: 5 } }],
    [
      'a Pod gets an ephemeral container',
      `${CORE}/pods/p/ephemeralcontainers`,
      { spec: { ephemeralContainers: [{ name: 'e', image: 'e' }] } },
    ],
    [
      'a Pod is resized',
      `${CORE}/pods/p/resize`,
      { spec: { containers: [{ name: 'c', resources: { limits: { cpu: '2' } } }] } },
    ],
    ['the status of a Pod is written', `${CORE}/pods/p/status`, { status: { phase: 'Failed' } }],
    [
      'its Deployment is scaled by way of its scale',
      `${APPS}/deployments/own/scale`,
      { spec: { replicas: 5 } },
    ],
    [
      'a foreign Deployment is scaled by way of its scale',
      `${APPS}/deployments/foreign/scale`,
      { spec: { replicas: 5 } },
    ],
    [
      'its StatefulSet is scaled by way of its scale',
      `${APPS}/statefulsets/own/scale`,
      { spec: { replicas: 5 } },
    ],
    [
      'a ServiceAccount gets Secrets',
      `${CORE}/serviceaccounts/admin`,
      { secrets: [{ name: 's' }] },
    ],
    [
      'a Namespace is labelled',
      `/api/v1/namespaces/${HOME}`,
      { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } },
    ],
    ['a node is cordoned', '/api/v1/nodes/node', { spec: { unschedulable: true } }],
    [
      'a node gets a taint',
      '/api/v1/nodes/node',
      { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } },
    ],
    [
      'the status of a node is written',
      '/api/v1/nodes/node/status',
      { status: { capacity: { 'example.dev/x': '1' } } },
    ],
    [
      'its own role is widened',
      `${rbac}/clusterroles/everything`,
      { metadata: { labels: { x: 'y' } } },
    ],
    [
      'its definition is changed',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gardens.example.dev',
      { metadata: { labels: { x: 'y' } } },
    ],
    [
      'its Deployment is changed elsewhere',
      elsewhere(`${APPS}/deployments/foreign`),
      { spec: { replicas: 2 } },
    ],
    [
      'a Garden is changed elsewhere',
      elsewhere(`${OWN}/gardens/g`),
      { metadata: { finalizers: ['x.dev/y', 'example.dev/fence'] } },
    ],
    [
      'the status of a Garden is written elsewhere',
      elsewhere(`${OWN}/gardens/g/status`),
      { status: { trees: 1 } },
    ],
  ];
  const deletes: Row[] = [
    ['the ConfigMap is deleted', `${CORE}/configmaps/tools`],
    ['all ConfigMaps are deleted', `${CORE}/configmaps`],
    ['its Lease is deleted', `${LEASES}/gardener-leader`],
    ['another Lease is deleted', `${LEASES}/other`],
    ['all Leases are deleted', LEASES],
    ['a Secret is deleted', `${CORE}/secrets/s`],
    ['all Secrets are deleted', `${CORE}/secrets`],
    ['a Pod is deleted', `${CORE}/pods/p`],
    ['all Pods are deleted', `${CORE}/pods`],
    ['its Namespace is deleted', `/api/v1/namespaces/${HOME}`],
    ['another Namespace is deleted', '/api/v1/namespaces/next-door'],
    ['a node is deleted', '/api/v1/nodes/node'],
    ['its ServiceAccount is deleted', `${CORE}/serviceaccounts/gardener`],
    ['its role is deleted', `${rbac}/clusterroles/everything`],
    [
      'its definition is deleted',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gardens.example.dev',
    ],
    ['a Deployment is deleted elsewhere', elsewhere(`${APPS}/deployments/foreign`)],
  ];
  return [...posts.map(of('POST')), ...patches.map(of('PATCH')), ...deletes.map(of('DELETE'))];
}
