import type { FieldSchema } from './field-schema.ts';
import {
  ATOMIC,
  always,
  atomicKeyedBy,
  CONDITIONS,
  FREE_MAP,
  keyedBy,
  METADATA,
  POD_SPEC,
  POD_STATUS,
  POD_TEMPLATE,
  SET,
  struct,
} from './pod-schema.ts';

const STATUS: FieldSchema = always(struct({ conditions: CONDITIONS }));

const RESOURCE_REQUESTS: FieldSchema = struct({ limits: FREE_MAP, requests: FREE_MAP });

const CLAIM_SPEC: FieldSchema = always(
  struct({ selector: ATOMIC, dataSource: ATOMIC, resources: always(RESOURCE_REQUESTS) }),
);

/** A Go time that is no pointer: null when it is not set. */
const NO_TIME: FieldSchema = { present: null };

/** A Go number that is no pointer. */
const COUNT: FieldSchema = { present: 0 };

const JOB_SPEC: FieldSchema = always(struct({ selector: ATOMIC, template: POD_TEMPLATE }));

const LOAD_BALANCER: FieldSchema = always({ open: true });

const WEBHOOKS: FieldSchema = keyedBy(
  ['name'],
  struct({
    clientConfig: always({ open: true }),
    namespaceSelector: ATOMIC,
    objectSelector: ATOMIC,
    matchConditions: keyedBy(['name']),
  }),
);

function kind(fields: Readonly<Record<string, FieldSchema>>): FieldSchema {
  return struct({ metadata: METADATA, ...fields });
}

/**
 * The built-in kinds whose merging differs from the rule (maps field by field, lists as a whole),
 * from the `+listType`, `+mapType` and `patchMergeKey` markers of k8s.io/api v1.36.
 */
const KINDS: Readonly<Record<string, FieldSchema>> = {
  ConfigMap: kind({ data: FREE_MAP, binaryData: FREE_MAP }),
  Secret: kind({ data: FREE_MAP, stringData: FREE_MAP }),
  Pod: kind({ spec: POD_SPEC, status: POD_STATUS }),
  PodTemplate: kind({ template: POD_TEMPLATE }),
  Deployment: kind({
    spec: always(
      struct({
        selector: ATOMIC,
        template: POD_TEMPLATE,
        strategy: always({ open: true }),
      }),
    ),
    status: STATUS,
  }),
  ReplicaSet: kind({
    spec: always(struct({ selector: ATOMIC, template: POD_TEMPLATE })),
    status: always(struct({ conditions: CONDITIONS, replicas: COUNT })),
  }),
  ReplicationController: kind({
    spec: always(struct({ selector: { ...FREE_MAP, atomic: true }, template: POD_TEMPLATE })),
    status: always(struct({ conditions: CONDITIONS, replicas: COUNT })),
  }),
  StatefulSet: kind({
    spec: always(
      struct({ selector: ATOMIC, template: POD_TEMPLATE, updateStrategy: always({ open: true }) }),
    ),
    status: always(struct({ conditions: CONDITIONS, replicas: COUNT, availableReplicas: COUNT })),
  }),
  DaemonSet: kind({
    spec: always(
      struct({ selector: ATOMIC, template: POD_TEMPLATE, updateStrategy: always({ open: true }) }),
    ),
    status: always(
      struct({
        conditions: CONDITIONS,
        currentNumberScheduled: COUNT,
        numberMisscheduled: COUNT,
        desiredNumberScheduled: COUNT,
        numberReady: COUNT,
      }),
    ),
  }),
  Job: kind({
    spec: JOB_SPEC,
    status: always(struct({ conditions: atomicKeyedBy('type') })),
  }),
  CronJob: kind({
    spec: always(struct({ jobTemplate: always(struct({ metadata: METADATA, spec: JOB_SPEC })) })),
    status: always(struct({ active: ATOMIC })),
  }),
  Service: kind({
    spec: always(
      struct({
        selector: { ...FREE_MAP, atomic: true },
        ports: { ...keyedBy(['port', 'protocol']), keyDefaults: { protocol: 'TCP' } },
      }),
    ),
    status: always(struct({ loadBalancer: LOAD_BALANCER, conditions: CONDITIONS })),
  }),
  ServiceAccount: kind({
    secrets: keyedBy(['name'], ATOMIC),
    imagePullSecrets: ATOMIC,
  }),
  Namespace: kind({ spec: always({ open: true }), status: STATUS }),
  Node: kind({
    spec: always(struct({ podCIDRs: SET, taints: atomicKeyedBy('key') })),
    status: always(
      struct({
        addresses: keyedBy(['type']),
        conditions: CONDITIONS,
        allocatable: FREE_MAP,
        capacity: FREE_MAP,
      }),
    ),
  }),
  PersistentVolumeClaim: kind({ spec: CLAIM_SPEC, status: STATUS }),
  PersistentVolume: kind({ spec: always({ open: true }), status: always({ open: true }) }),
  PodDisruptionBudget: kind({
    spec: always(struct({ selector: ATOMIC })),
    status: always(
      struct({
        conditions: CONDITIONS,
        disruptionsAllowed: COUNT,
        currentHealthy: COUNT,
        desiredHealthy: COUNT,
        expectedPods: COUNT,
      }),
    ),
  }),
  HorizontalPodAutoscaler: kind({
    spec: always(struct({ scaleTargetRef: always(ATOMIC) })),
    status: always(struct({ conditions: CONDITIONS })),
  }),
  Ingress: kind({
    spec: always({ open: true }),
    status: always(struct({ loadBalancer: LOAD_BALANCER })),
  }),
  NetworkPolicy: kind({ spec: always(struct({ podSelector: always(ATOMIC) })) }),
  // One storage with two shapes: core/v1 and events.k8s.io/v1.
  Event: kind({
    involvedObject: always(ATOMIC),
    regarding: always(ATOMIC),
    related: ATOMIC,
    source: always({ open: true }),
    deprecatedSource: always({ open: true }),
    firstTimestamp: NO_TIME,
    lastTimestamp: NO_TIME,
    eventTime: NO_TIME,
    deprecatedFirstTimestamp: NO_TIME,
    deprecatedLastTimestamp: NO_TIME,
    reportingComponent: { present: '' },
    reportingInstance: { present: '' },
  }),
  Lease: kind({ spec: always({ open: true }) }),
  RoleBinding: kind({ roleRef: always(ATOMIC) }),
  ClusterRoleBinding: kind({ roleRef: always(ATOMIC) }),
  Role: kind({ rules: { ...ATOMIC, present: null } }),
  ClusterRole: kind({ rules: { ...ATOMIC, present: null }, aggregationRule: { open: true } }),
  ValidatingWebhookConfiguration: kind({ webhooks: WEBHOOKS }),
  MutatingWebhookConfiguration: kind({ webhooks: WEBHOOKS }),
  CustomResourceDefinition: kind({
    spec: always(struct({ names: always({ open: true }) })),
    status: always(struct({ conditions: CONDITIONS })),
  }),
  APIService: kind({
    spec: always(struct({ service: { open: true } })),
    status: STATUS,
  }),
};

/** Nearly every kind has a `spec` and a `status` that are Go structs. */
const OTHER_KIND: FieldSchema = kind({
  spec: always({ open: true }),
  status: always({ open: true }),
});

/** The schema of a kind that the API server itself brings. */
export function builtInSchema(kindName: string): FieldSchema {
  return Object.hasOwn(KINDS, kindName) ? (KINDS[kindName] ?? OTHER_KIND) : OTHER_KIND;
}
