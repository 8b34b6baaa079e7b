/**
 * The public API, in the order data flows. Everything exported here is covered by semantic
 * versioning; nothing else is.
 *
 * @module
 */

import './core/one-copy.ts';

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
export { recordingClient, type WriteJournal } from './client/recording-client.ts';
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
export { Overlays, type PendingWrite, type WriteTarget } from './store/overlays.ts';
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
export {
  type AroundCalls,
  decorateClient,
  type ReadCall,
  type RemoveCall,
  type WriteCall,
} from './client/client-decorator.ts';
export { restClient } from './client/rest-client.ts';
export type { FieldValidation, RestClientOptions } from './client/rest-client-options.ts';
export {
  type RetryOnConflictOptions,
  retryOnConflict,
  updateLive,
} from './client/retry-on-conflict.ts';
export { type RetryingClientOptions, retryingClient } from './client/retrying-client.ts';
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
