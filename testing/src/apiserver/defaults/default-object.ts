import type { Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import {
  defaultAdmissionPolicySpec,
  defaultMutatingWebhooks,
  defaultPolicyBindingSpec,
  defaultValidatingWebhooks,
} from './admission.ts';
import { defaultAutoscalerSpec } from './autoscaler.ts';
import { asObject, each, fill, ifMissing } from './fill.ts';
import { defaultOwnPodSpec } from './pod-spec.ts';
import { defaultServiceSpec } from './service.ts';
import { defaultClaim, defaultDriverSpec } from './storage.ts';
import { changed, defaultAttachment, defaultVolumeSpec } from './volume.ts';
import {
  defaultCronJobSpec,
  defaultDaemonSetSpec,
  defaultDeploymentSpec,
  defaultJob,
  defaultReplicaSetSpec,
  defaultReplicationController,
  defaultStatefulSetSpec,
  defaultTemplate,
} from './workload.ts';

/**
 * Sets the fields of a built-in object that have defaults, like defaults.go of each Kubernetes group.
 * Afterwards the stored object can be compared with the next write. Fields without a default stay unchanged.
 */
export function defaultObject(object: StoredObject): StoredObject {
  const change = DEFAULTS[object.kind];
  return change === undefined ? object : (change(object as Json) as unknown as StoredObject);
}

type Change = (object: Json) => Json;

/** Defaults for kinds that only have defaults in their spec. */
function spec(change: Change): Change {
  // In Go, the object always has a spec, even if none was sent.
  return (object) => ({ ...object, spec: change(asObject(object.spec) ?? {}) });
}

/** Defaults for top-level fields, for kinds without a spec. */
function fields(defaults: Readonly<Record<string, unknown>>): Change {
  return (object) => fill(object, defaults);
}

const RBAC = 'rbac.authorization.k8s.io';

function defaultSubject(subject: Json): Json {
  const people = subject.kind === 'User' || subject.kind === 'Group';
  return people ? fill(subject, { apiGroup: RBAC }) : subject;
}

const binding: Change = (object) => {
  const subjects = each(object.subjects, defaultSubject);
  const named = changed(object, { roleRef: (ref) => fill(ref, { apiGroup: RBAC }) });
  return subjects === undefined ? named : { ...named, subjects };
};

const withTcp = (ports: unknown): unknown => each(ports, (port) => fill(port, { protocol: 'TCP' }));

function policyRules(rules: unknown): unknown {
  return each(rules, (rule) => fill(rule, { ports: withTcp }));
}

/**
 * The default policy types: every policy applies to ingress, and a policy with egress rules also applies to
 * egress.
 */
function defaultPolicySpec(policySpec: Json): Json {
  const egress = Array.isArray(policySpec.egress) && policySpec.egress.length > 0;
  return fill(policySpec, {
    ingress: policyRules,
    egress: policyRules,
    policyTypes: egress ? ['Ingress', 'Egress'] : ['Ingress'],
  });
}

const DEFAULTS: Readonly<Record<string, Change>> = {
  ClusterRoleBinding: binding,
  CronJob: spec(defaultCronJobSpec),
  CSIDriver: spec(defaultDriverSpec),
  DaemonSet: spec(defaultDaemonSetSpec),
  Deployment: spec(defaultDeploymentSpec),
  Endpoints: (object) =>
    object.subsets === undefined
      ? object
      : {
          ...object,
          subsets: each(object.subsets, (subset) => fill(subset, { ports: withTcp })),
        },
  EndpointSlice: (object) =>
    fill(object, {
      ports: (ports: unknown) => each(ports, (port) => fill(port, { name: '', protocol: 'TCP' })),
    }),
  HorizontalPodAutoscaler: spec(defaultAutoscalerSpec),
  IngressClass: (object) =>
    changed(object, {
      spec: (classSpec) =>
        changed(classSpec, { parameters: (one) => fill(one, { scope: 'Cluster' }) }),
    }),
  Job: defaultJob,
  LimitRange: spec(defaultLimitRangeSpec),
  MutatingAdmissionPolicy: spec(defaultAdmissionPolicySpec),
  MutatingAdmissionPolicyBinding: spec(defaultPolicyBindingSpec),
  MutatingWebhookConfiguration: defaultMutatingWebhooks,
  NetworkPolicy: spec(defaultPolicySpec),
  PersistentVolume: spec(defaultVolumeSpec),
  PersistentVolumeClaim: defaultClaim,
  Pod: spec(defaultOwnPodSpec),
  PodTemplate: (object) => ({ ...object, template: defaultTemplate(object.template) }),
  PriorityClass: fields({ preemptionPolicy: 'PreemptLowerPriority' }),
  ReplicaSet: spec(defaultReplicaSetSpec),
  ReplicationController: defaultReplicationController,
  RoleBinding: binding,
  Secret: fields({ type: 'Opaque' }),
  Service: spec(defaultServiceSpec),
  StatefulSet: spec(defaultStatefulSetSpec),
  ValidatingAdmissionPolicy: spec(defaultAdmissionPolicySpec),
  ValidatingAdmissionPolicyBinding: spec(defaultPolicyBindingSpec),
  ValidatingWebhookConfiguration: defaultValidatingWebhooks,
  VolumeAttachment: defaultAttachment,
  StorageClass: fields({
    reclaimPolicy: ifMissing('Delete'),
    volumeBindingMode: ifMissing('Immediate'),
  }),
};

/**
 * Defaults for the limits of a container. If the default limit is missing, it becomes `max`. If the default
 * request is missing, it becomes the default limit or, without one, `min` (kubernetes/kubernetes,
 * pkg/apis/core/v1/defaults.go, SetDefaults_LimitRangeItem).
 */
function defaultLimitRangeSpec(spec: Json): Json {
  return fill(spec, { limits: (limits: unknown) => each(limits, defaultItem) });
}

function defaultItem(item: Json): Json {
  if (item.type !== 'Container') return item;
  const limits = { ...asObject(item.max), ...asObject(item.default) };
  const requests = { ...asObject(item.min), ...limits, ...asObject(item.defaultRequest) };
  return {
    ...item,
    ...(Object.keys(limits).length > 0 ? { default: limits } : {}),
    ...(Object.keys(requests).length > 0 ? { defaultRequest: requests } : {}),
  };
}
