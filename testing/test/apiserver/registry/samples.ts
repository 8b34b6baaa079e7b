const TEMPLATE = {
  metadata: { labels: { app: 'sample' } },
  spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] },
};
const SELECTOR = { matchLabels: { app: 'sample' } };
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const WEBHOOK = {
  name: 'check.example.dev',
  clientConfig: { url: 'https://hook.example.dev/check' },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
};
const POLICY_RULES = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
  ],
};
const SCALE_TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'sample' };

/** What a valid object of each built-in kind has besides its metadata, by `apiVersion/kind`. */
export const SAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'v1/ConfigMap': { data: { k: 'v' } },
  'v1/Endpoints': { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] },
  'v1/Event': {
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'sample' },
    reason: 'Sampled',
    message: 'a sample',
    type: 'Normal',
    count: 1,
  },
  'v1/LimitRange': { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
  'v1/Node': { spec: {} },
  'v1/PersistentVolumeClaim': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  'v1/PersistentVolume': {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      hostPath: { path: '/tmp/sample' },
    },
  },
  'v1/Pod': { spec: TEMPLATE.spec },
  'v1/PodTemplate': { template: TEMPLATE },
  'v1/ReplicationController': {
    spec: { replicas: 1, selector: { app: 'sample' }, template: TEMPLATE },
  },
  'v1/ResourceQuota': { spec: { hard: { pods: '4' } } },
  'v1/Secret': { type: 'Opaque', data: { k: 'dg==' } },
  'v1/Service': { spec: { selector: { app: 'sample' }, ports: [{ port: 80 }] } },
  'apiregistration.k8s.io/v1/APIService': {
    spec: {
      group: 'sample.dev',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'sample' },
    },
  },
  'apps/v1/ControllerRevision': { data: { spec: {} }, revision: 1 },
  'apps/v1/DaemonSet': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/v1/Deployment': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/v1/ReplicaSet': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/v1/StatefulSet': {
    spec: { serviceName: 'sample', selector: SELECTOR, template: TEMPLATE },
  },
  'events.k8s.io/v1/Event': {
    eventTime: '2026-11-21T06:28:21.123456Z',
    reportingController: 'example.dev/sample',
    reportingInstance: 'sample-0',
    action: 'Sampling',
    reason: 'Sampled',
    regarding: { kind: 'Pod', namespace: 'default', name: 'sample' },
    note: 'a sample',
    type: 'Normal',
  },
  'autoscaling/v2/HorizontalPodAutoscaler': {
    spec: {
      scaleTargetRef: SCALE_TARGET,
      maxReplicas: 3,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ],
    },
  },
  'autoscaling/v1/HorizontalPodAutoscaler': {
    spec: { scaleTargetRef: SCALE_TARGET, maxReplicas: 3, targetCPUUtilizationPercentage: 80 },
  },
  'batch/v1/CronJob': {
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } },
    },
  },
  'batch/v1/Job': { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } },
  'certificates.k8s.io/v1/CertificateSigningRequest': {
    spec: {
      request: Buffer.from(
        '-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n',
      ).toString('base64'),
      signerName: 'example.dev/sample',
      usages: ['client auth'],
    },
  },
  'networking.k8s.io/v1/IngressClass': { spec: { controller: 'example.dev/sample' } },
  'networking.k8s.io/v1/Ingress': {
    spec: { defaultBackend: { service: { name: 'sample', port: { number: 80 } } } },
  },
  'networking.k8s.io/v1/IPAddress': {
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'sample' } },
  },
  'networking.k8s.io/v1/NetworkPolicy': {
    spec: { podSelector: SELECTOR, policyTypes: ['Ingress'] },
  },
  'networking.k8s.io/v1/ServiceCIDR': { spec: { cidrs: ['198.51.100.0/24'] } },
  'policy/v1/PodDisruptionBudget': { spec: { minAvailable: 1, selector: SELECTOR } },
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': { roleRef: ROLE_REF },
  'rbac.authorization.k8s.io/v1/ClusterRole': {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  },
  'rbac.authorization.k8s.io/v1/RoleBinding': { roleRef: ROLE_REF },
  'rbac.authorization.k8s.io/v1/Role': {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  },
  'storage.k8s.io/v1/CSIDriver': { spec: { attachRequired: false } },
  'storage.k8s.io/v1/CSINode': { spec: { drivers: [{ name: 'a', nodeID: 'b' }] } },
  'storage.k8s.io/v1/CSIStorageCapacity': { storageClassName: 'sample', capacity: '1Gi' },
  'storage.k8s.io/v1/StorageClass': { provisioner: 'example.dev/sample' },
  'storage.k8s.io/v1/VolumeAttachment': {
    spec: {
      attacher: 'example.dev',
      nodeName: 'node-1',
      source: { persistentVolumeName: 'sample' },
    },
  },
  'storage.k8s.io/v1/VolumeAttributesClass': {
    driverName: 'example.dev',
    parameters: { tier: 'fast' },
  },
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy': {
    spec: {
      matchConstraints: POLICY_RULES,
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{}' },
        },
      ],
    },
  },
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding': {
    spec: { policyName: 'sample' },
  },
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration': { webhooks: [WEBHOOK] },
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy': {
    spec: { matchConstraints: POLICY_RULES, validations: [{ expression: 'true' }] },
  },
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding': {
    spec: { policyName: 'sample', validationActions: ['Deny'] },
  },
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration': { webhooks: [WEBHOOK] },
  'apiextensions.k8s.io/v1/CustomResourceDefinition': {
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { kind: 'Sample', plural: 'samples' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  },
  'scheduling.k8s.io/v1/PriorityClass': { value: 7 },
  'coordination.k8s.io/v1/Lease': { spec: { holderIdentity: 'sample-0' } },
  'node.k8s.io/v1/RuntimeClass': { handler: 'runc' },
  'discovery.k8s.io/v1/EndpointSlice': {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'] }],
    ports: [{ name: 'http', port: 80 }],
  },
  'resource.k8s.io/v1/DeviceClass': {
    spec: { selectors: [{ cel: { expression: 'true' } }] },
  },
  'resource.k8s.io/v1/ResourceClaim': {
    spec: {
      devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'sample' } }] },
    },
  },
  'resource.k8s.io/v1/ResourceClaimTemplate': {
    spec: {
      spec: {
        devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'sample' } }] },
      },
    },
  },
  'resource.k8s.io/v1/ResourceSlice': {
    spec: {
      driver: 'example.dev',
      nodeName: 'node-1',
      pool: { name: 'sample', generation: 1, resourceSliceCount: 1 },
    },
  },
  'flowcontrol.apiserver.k8s.io/v1/FlowSchema': {
    spec: { priorityLevelConfiguration: { name: 'sample' }, matchingPrecedence: 500 },
  },
  'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration': {
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5 } },
  },
};
