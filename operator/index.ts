/**
 * The public API, in the order data flows. Everything exported here is covered by semantic
 * versioning; nothing else is.
 *
 * @module
 */

import './core/one-copy.ts';

// Words every stage shares

export { withTimeout } from './core/abort.ts';
export { type Clock, systemClock } from './core/clock.ts';
export {
  AmbassadorError,
  ConfigurationError,
  type ErrorCode,
  type Layer,
  LeadershipLostError,
  messageOf,
  OperatorError,
  ProtocolError,
  UnsafeSetupError,
} from './core/errors.ts';
export { formatYaml, parseYaml, parseYamlDocuments } from './core/yaml.ts';

// Kubernetes data

export type { Workload } from './model/builtin.ts';
export {
  type Condition,
  findCondition,
  isConditionTrue,
  READY,
  RECONCILING,
  rfc3339,
  rfc3339Micro,
  STALLED,
  setCondition,
} from './model/condition.ts';
export { kstatus, type ObjectStatus } from './model/kstatus.ts';
export { isNamespaceMissing, isNotFound, isUnserved } from './model/not-found.ts';
export {
  controllerOf,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  objectKey,
  splitKey,
  type Target,
} from './model/object.ts';
export {
  AlreadyOwnedError,
  isControlledBy,
  setControllerReference,
  setOwnerReference,
} from './model/owner-reference.ts';
export {
  type ApplyConflict,
  applyConflictsOf,
  isAdmissionDenied,
  isApplyConflict,
  isBeingDeleted,
  isForbidden,
  isInvalid,
  isNamespaceTerminating,
  isUidMismatch,
  isUndeclaredField,
  isVersionConflict,
  type Refusal,
  refusalOf,
} from './model/refusal.ts';
export { defineResource, type Resource, resourceName } from './model/resource.ts';
export {
  formatSelector,
  type LabelSelector,
  matchesSelector,
  parseSelector,
  type Selector,
  selectorFromObject,
} from './model/selector.ts';
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isDisruptionRefused,
  isGone,
  type StatusDetails,
} from './model/status.ts';

// Bytes → lines → events

export { readLines } from './stream/lines.ts';
export type { Transport } from './transport/transport.ts';
export { undiciTransport } from './transport/undici-transport.ts';

// Programs of others

export { runProgram } from './process/run-program.ts';

// Events → store → queue

export { listWatch } from './client/source.ts';
export { dropManagedFields } from './model/entry.ts';
export { Debounce } from './queue/debounce.ts';
export type { Change } from './store/change.ts';
export { byLabel, byNamespace, byOwner } from './store/indices.ts';
export { Informer } from './store/informer.ts';
export type { Store } from './store/store.ts';
export type { ListWatch } from './watch/list-watch.ts';

// Reconcile → writes

export type { Call, Interceptor } from './client/call.ts';
export type {
  Client,
  DeleteOptions,
  ListOptions,
  Patch,
  Reader,
  Stored,
  WriteOptions,
  Writer,
} from './client/client.ts';
export { clientOf, intercept } from './client/client-of.ts';
export { type ServerVersion, serverVersion } from './client/discovery.ts';
export { restClient } from './client/rest-client.ts';
export { retryOnConflict, updateLive } from './client/retry-on-conflict.ts';
export type { ObservedChildren } from './composite/child.ts';
export { child, type DesiredChild } from './composite/child.ts';
export {
  composite,
  type FinalizeResult,
  type SyncContext,
} from './composite/composite.ts';
export { type DecoratorResult, decorator } from './composite/decorator/decorator.ts';
export type { SyncResult } from './composite/sync-result.ts';
export {
  type Controller,
  type ControllerOptions,
  controller,
  isController,
  type Permission,
} from './controller/controller.ts';
export {
  BeingDeletedError,
  NoStatusSubresourceError,
  retryRefused,
  TerminalError,
} from './controller/errors.ts';
export type { EventNote } from './controller/events/event-recorder.ts';
export type { Finalizer, Unfinished } from './controller/finalizers/finalizer.ts';
export { addFinalizer, removeFinalizer } from './controller/finalizers/finalizer.ts';
export { enqueueMapped, type Mapping, type MappingContext } from './controller/mapping.ts';
export type { Predicate } from './controller/predicate.ts';
export {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  not,
  or,
  resourceVersionChanged,
  statusChanged,
} from './controller/predicate.ts';
export type {
  Desired,
  DesiredCondition,
  DesiredStatus,
  GoneContext,
  Log,
  Outcome,
  ReconcileContext,
  Reconciler,
  RefusedResult,
  Self,
} from './controller/reconciler.ts';
export { type Source, source } from './controller/source.ts';
export type { Trigger } from './controller/trigger.ts';
export { type Channel, channel, everyMs } from './controller/trigger.ts';

// One process

export { ensureCrd, ensureCrds } from './manager/crds/ensure-crds.ts';
export { createManager, runOperator } from './manager/create-manager.ts';
export type { HealthChecks } from './manager/http/health-server.ts';
export type { Manager } from './manager/manager.ts';
export type { CreateManagerOptions } from './manager/options.ts';
export { isRunnable, type Runnable, runnable } from './manager/runnable.ts';
export type { Settings } from './manager/settings/settings.ts';
export {
  type ArgumentValues,
  type Program,
  type ProgramParts,
  withArguments,
} from './manager/with-arguments.ts';

// One declaration, many outputs

export { type OpenedRequests, openedBeyondRights } from './access/filter/opened-beyond-rights.ts';
export { type ProxyFilter, proxyArguments, proxyFilter } from './access/filter/proxy-filter.ts';
export { type RbacRole, type RbacRoleBinding, rbac } from './access/rbac.ts';
