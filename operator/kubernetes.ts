/**
 * The kinds of Kubernetes: `chancery/kubernetes`, an entry of its own, because they are many.
 *
 * - a resource of each built-in kind, such as `configMaps`: what a controller or a client names;
 * - the type of each kind, such as `ConfigMap`;
 * - all types of a group and version under its name, such as `coreV1.Container`.
 *
 * @module
 */

export type * as admissionregistrationV1 from './model/kubernetes/admissionregistration-v1.ts';
export type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from './model/kubernetes/admissionregistration-v1.ts';
export type * as apiextensionsV1 from './model/kubernetes/apiextensions-v1.ts';
export type { CustomResourceDefinition } from './model/kubernetes/apiextensions-v1.ts';
export type * as appsV1 from './model/kubernetes/apps-v1.ts';
export type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from './model/kubernetes/apps-v1.ts';
export type * as authenticationV1 from './model/kubernetes/authentication-v1.ts';
export type { SelfSubjectReview, TokenReview } from './model/kubernetes/authentication-v1.ts';
export type * as authorizationV1 from './model/kubernetes/authorization-v1.ts';
export type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from './model/kubernetes/authorization-v1.ts';
export type * as autoscalingV1 from './model/kubernetes/autoscaling-v1.ts';
export type * as autoscalingV2 from './model/kubernetes/autoscaling-v2.ts';
export type { HorizontalPodAutoscaler } from './model/kubernetes/autoscaling-v2.ts';
export type * as batchV1 from './model/kubernetes/batch-v1.ts';
export type { CronJob, Job } from './model/kubernetes/batch-v1.ts';
export type * as certificatesV1 from './model/kubernetes/certificates-v1.ts';
export type { CertificateSigningRequest } from './model/kubernetes/certificates-v1.ts';
export type * as coordinationV1 from './model/kubernetes/coordination-v1.ts';
export type { Lease } from './model/kubernetes/coordination-v1.ts';
export type * as coreV1 from './model/kubernetes/core-v1.ts';
export type {
  Binding,
  ComponentStatus,
  ConfigMap,
  Endpoints,
  LimitRange,
  Namespace,
  Node,
  ObjectReference,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from './model/kubernetes/core-v1.ts';
export type * as discoveryV1 from './model/kubernetes/discovery-v1.ts';
export type { EndpointSlice } from './model/kubernetes/discovery-v1.ts';
export type * as eventsV1 from './model/kubernetes/events-v1.ts';
export type { Event as KubernetesEvent } from './model/kubernetes/events-v1.ts';
export type * as flowcontrolV1 from './model/kubernetes/flowcontrol-v1.ts';
export type { FlowSchema, PriorityLevelConfiguration } from './model/kubernetes/flowcontrol-v1.ts';
export type { IntOrString, Quantity } from './model/kubernetes/forms.ts';
export type * as metaV1 from './model/kubernetes/meta-v1.ts';
export type * as networkingV1 from './model/kubernetes/networking-v1.ts';
export type {
  Ingress,
  IngressClass,
  IPAddress,
  NetworkPolicy,
  ServiceCIDR,
} from './model/kubernetes/networking-v1.ts';
export type * as nodeV1 from './model/kubernetes/node-v1.ts';
export type { RuntimeClass } from './model/kubernetes/node-v1.ts';
export type * as policyV1 from './model/kubernetes/policy-v1.ts';
export type { PodDisruptionBudget } from './model/kubernetes/policy-v1.ts';
export type * as rbacV1 from './model/kubernetes/rbac-v1.ts';
export type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
} from './model/kubernetes/rbac-v1.ts';
export type * as resourceV1 from './model/kubernetes/resource-v1.ts';
export type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from './model/kubernetes/resource-v1.ts';
export * from './model/kubernetes/resources.ts';
export type * as schedulingV1 from './model/kubernetes/scheduling-v1.ts';
export type { PriorityClass } from './model/kubernetes/scheduling-v1.ts';
export type * as storageV1 from './model/kubernetes/storage-v1.ts';
export type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from './model/kubernetes/storage-v1.ts';
