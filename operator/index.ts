/**
 * The public API, in the order data flows. Everything exported here is covered by semantic
 * versioning; nothing else is.
 *
 * @module
 */

// Words every stage shares

export { type Backoff, exponentialBackoff } from './core/backoff.ts';
export { type Cancel, type Clock, sleep, systemClock } from './core/clock.ts';
export {
  AmbassadorError,
  ConfigurationError,
  type ErrorCode,
  type ErrorContext,
  type Layer,
  LeadershipLostError,
  messageOf,
  OperatorError,
  ProtocolError,
  type RequestFate,
  UnsafeSetupError,
} from './core/errors.ts';
export { type Labels, type Meter, noMeter } from './core/metrics.ts';
export { type TimeoutOptions, withTimeout } from './core/with-timeout.ts';
export { formatYaml, parseYaml, parseYamlDocuments } from './core/yaml.ts';

// Kubernetes data

export type { Workload } from './model/builtin.ts';
export {
  type Condition,
  findCondition,
  isConditionTrue,
  READY,
  RECONCILING,
  removeCondition,
  rfc3339,
  rfc3339Micro,
  STALLED,
  setCondition,
  type WantedCondition,
} from './model/condition.ts';
export {
  type ApplyConflict,
  applyConflictsOf,
  isApplyConflict,
  isBeingDeleted,
  isNamespaceMissing,
  isNamespaceTerminating,
  isUidMismatch,
  isVersionConflict,
} from './model/conflict.ts';
export { type HeldObject, metadataOf, readObject } from './model/held-object.ts';
export { kstatus, type ObjectStatus } from './model/kstatus.ts';
export { ofMetadata } from './model/metadata-only.ts';
export {
  controllerOf,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  objectKey,
  splitKey,
} from './model/object.ts';
export {
  AlreadyOwnedError,
  isControlledBy,
  isSameOwner,
  setControllerReference,
  setOwnerReference,
} from './model/owner-reference.ts';
export {
  isAdmissionDenied,
  isForbidden,
  isInvalid,
  isUndeclaredField,
  type Refusal,
  refusalOf,
} from './model/refusal.ts';
export { apiVersionOf, defineResource, type Resource, resourceName } from './model/resource.ts';
export {
  formatSelector,
  type LabelSelector,
  matchesSelector,
  type Requirement,
  type Selector,
  selectorFromObject,
} from './model/selector.ts';
export { parseSelector } from './model/selector-parser.ts';
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isDisruptionRefused,
  isGone,
  isNotFound,
  type StatusDetails,
} from './model/status.ts';
export type { WatchEvent } from './model/watch-event.ts';

// Built-in kinds: their types, all that these are made of (`coreV1.Container`), and their resources

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
export {
  apiServices,
  bindings,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  componentStatuses,
  configMaps,
  controllerRevisions,
  cronJobs,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  customResourceDefinitions,
  daemonSets,
  deployments,
  deviceClasses,
  endpointSlices,
  endpoints,
  events,
  flowSchemas,
  horizontalPodAutoscalers,
  ingressClasses,
  ingresses,
  ipAddresses,
  jobs,
  leases,
  limitRanges,
  localSubjectAccessReviews,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  namespaces,
  networkPolicies,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  podTemplates,
  priorityClasses,
  priorityLevelConfigurations,
  replicaSets,
  replicationControllers,
  resourceClaims,
  resourceClaimTemplates,
  resourceQuotas,
  resourceSlices,
  roleBindings,
  roles,
  runtimeClasses,
  secrets,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  serviceAccounts,
  serviceCIDRs,
  services,
  statefulSets,
  storageClasses,
  subjectAccessReviews,
  tokenReviews,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
  volumeAttachments,
  volumeAttributesClasses,
} from './model/kubernetes/resources.ts';
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

// Bytes → lines → events

export { type MeteredTransportOptions, meteredTransport } from './transport/metered-transport.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport/transport.ts';
export {
  DEFAULT_TRANSPORT_OPTIONS,
  type UndiciTransportOptions,
  undiciTransport,
} from './transport/undici-transport.ts';

// Events → store → queue

export { listWatch, type Scope } from './client/list-watch.ts';
export type { PendingWrite, WriteJournal, WriteTarget } from './model/write-journal.ts';
export type { Change } from './store/cache.ts';
export type { HandlerOptions, HandlerRegistration } from './store/handlers.ts';
export { byLabel, byNamespace, byOwner, type IndexFunction } from './store/indices.ts';
export {
  type ChangeHandler,
  Informer,
  type InformerObserver,
  type InformerOptions,
} from './store/informer.ts';
export type { InformerLease, NamespacesInformerOptions } from './store/informer-lease.ts';
export { NamespacesInformer } from './store/namespaces-informer.ts';
export type { Overlay, OverlayOptions, OwnWriteForm } from './store/overlay.ts';
export { Overlays } from './store/overlays.ts';
export type { SharedInformer, SourceState } from './store/shared-informer.ts';
export type { GetOptions, Query, Store } from './store/store.ts';
export { dropManagedFields, type Transform, transformed } from './store/transform.ts';
export { ListGate, type ListGateOptions } from './watch/list-gate.ts';
export type { ListMode } from './watch/list-mode.ts';
export type { ListWatch } from './watch/list-watch.ts';
export {
  DEFAULT_REFLECTOR_SETTINGS,
  MIN_RELIST_INTERVAL_MS,
  type OnUnserved,
  type ReflectorNotice,
  type ReflectorOptions,
  type ReflectorSettings,
} from './watch/reflector-options.ts';
export type { ReflectorStatus } from './watch/reflector-status.ts';

// Reconcile → writes

export type { Call, Interceptor } from './client/call.ts';
export type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  EvictOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  Reader,
  Stored,
  Target,
  UpdateOptions,
  Versioned,
  WriteOptions,
  Writer,
} from './client/client.ts';
export { clientOf, intercept } from './client/client-of.ts';
export { type RestClientOptions, restClient } from './client/rest-client.ts';
export type { FieldValidation } from './client/rest-request.ts';
export {
  type RetryOnConflictOptions,
  retryOnConflict,
  updateLive,
} from './client/retry-on-conflict.ts';
export { type ServerVersion, serverVersion } from './client/server-version.ts';
export { BeingDeletedError } from './controller/being-deleted-error.ts';
export { type Channel, channel } from './controller/channel.ts';
export {
  type ChildRule,
  type ChildUpdate,
  child,
  type DesiredChild,
} from './controller/composite/child.ts';
export {
  type CompositeFinalizer,
  type CompositeOptions,
  composite,
  type FinalizeResult,
  type SyncContext,
  type SyncResult,
} from './controller/composite/composite.ts';
export type { ObservedChildren } from './controller/composite/observed-children.ts';
export {
  type Consistency,
  type Controller,
  type ControllerOptions,
  controller,
  enqueueMapped,
  isController,
  type Mapping,
  type MappingContext,
  type Owned,
  type Permission,
} from './controller/controller.ts';
export type { EventNote, EventRecorder } from './controller/event-recorder.ts';
export { type EveryMsOptions, everyMs } from './controller/every-ms.ts';
export type { Finalizer, Unfinished } from './controller/finalizer.ts';
export { addFinalizer, removeFinalizer } from './controller/finalizer-writes.ts';
export { NoStatusSubresourceError } from './controller/no-status-subresource-error.ts';
export type { Predicate, PredicateEvent } from './controller/predicate.ts';
export {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  not,
  or,
  resourceVersionChanged,
  statusChanged,
} from './controller/predicates.ts';
export {
  type ApplyOwnedOptions,
  AWAIT_CHANGE,
  type DeleteOwnedOptions,
  type Desired,
  type DesiredCondition,
  type DesiredStatus,
  type Log,
  type ReconcileContext,
  type Reconciler,
  type RefusedResult,
  type Result,
  type Self,
} from './controller/reconciler.ts';
export { retryRefused } from './controller/retry-refused.ts';
export { type Source, type SourceOptions, source } from './controller/source.ts';
export { TerminalError } from './controller/terminal-error.ts';
export type { Enqueue, Trigger } from './controller/trigger.ts';

// One process

export type { AroundAttempt, Attempt, AttemptEnd } from './controller/attempt.ts';
export {
  type CreateManagerOptions,
  createManager,
  type OwningManager,
  runOperator,
} from './manager/create-manager.ts';
export {
  type EnsureCrdOptions,
  type EnsuredCrd,
  ensureCrd,
  ensureCrds,
} from './manager/ensure-crds.ts';
export type { HealthCheck } from './manager/health-server.ts';
export type { LeaderElectionSettings } from './manager/leader-election-settings.ts';
export type { Logger } from './manager/logger.ts';
export type { HealthChecks } from './manager/manager-options.ts';
export { isRunnable, type Runnable, runnable, type StopPhase } from './manager/runnable.ts';
export {
  type LogLevel,
  type SelfTestMode,
  type Settings,
  settingsFrom,
} from './manager/settings.ts';
export type {
  ControllerStatus,
  LeadershipStatus,
  ProcessStatus,
  RecentReconcile,
  SourceStatus,
} from './manager/status-page/process-status.ts';

// One declaration, many outputs

export { permissionsForCrds } from './generate/crd-permissions.ts';
export { type FilterProblem, filterProblems } from './generate/filter-problems.ts';
export { type OpenedRequests, openedBeyondRights } from './generate/opened-beyond-rights.ts';
export { type Placement, POD_NAMESPACE } from './generate/placement.ts';
export { type ProxyFilter, proxyArguments, proxyFilter } from './generate/proxy-filter.ts';
export { type RbacOptions, rbac } from './generate/rbac.ts';
