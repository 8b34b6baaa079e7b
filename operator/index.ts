/**
 * The public API for operators, in the order in which data flows. Everything exported here is covered by
 * semantic versioning. The same is true for the exports of `low-level.ts`, `schema.ts` and `kubernetes.ts`,
 * and for nothing else.
 *
 * @module
 */

import './core/one-copy.ts';

// Basic types and errors for all of the following

export { withTimeout } from './core/abort.ts';
export type { Clock } from './core/clock.ts';
export {
  AmbassadorError,
  ConfigurationError,
  type ErrorCode,
  LeadershipLostError,
  messageOf,
  OperatorError,
  ProtocolError,
  UnsafeSetupError,
} from './core/errors.ts';

// Kubernetes data

export type { Workload } from './model/builtin.ts';
export { childName } from './model/child-name.ts';
export {
  type Condition,
  findCondition,
  isConditionTrue,
  READY,
  RECONCILING,
  rfc3339,
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
export { AlreadyOwnedError, isControlledBy } from './model/owner-reference.ts';
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
  type StatusDetails,
} from './model/status.ts';

// Events → store → queue

export { dropManagedFields } from './model/entry.ts';
export { byLabel, byNamespace, byOwner } from './store/indices.ts';

// Reconcile → writes

export type { Client } from './client/client.ts';
export { retryOnConflict, updateLive } from './client/retry-on-conflict.ts';
export type { ObservedChildren } from './composite/child.ts';
export { child, type DesiredChild } from './composite/child.ts';
export {
  composite,
  type FinalizeResult,
  type SyncContext,
  type SyncResult,
} from './composite/composite.ts';
export { type DecoratorResult, decorator } from './composite/decorator/decorator.ts';
export {
  type Controller,
  type ControllerOptions,
  controller,
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
export { enqueueMapped, type Mapping } from './controller/mapping.ts';
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

export type { ArgumentValues } from './manager/argument-values.ts';
export { ensureCrd, ensureCrds } from './manager/crds/ensure-crds.ts';
export { runOperator } from './manager/create-manager.ts';
export type { HealthChecks } from './manager/http/health-server.ts';
export { type Runnable, runnable } from './manager/runnable.ts';
export { type Program, type ProgramParts, withArguments } from './manager/with-arguments.ts';

// Reviews of the API server

export { type Allowed, allow, type Denied, deny } from './webhook/decision.ts';
export type { AdmissionRequest } from './webhook/review/admission-request.ts';
export { mutatingWebhook, validatingWebhook, type Webhook } from './webhook/webhook.ts';
export type { WebhookContext } from './webhook/webhook-options.ts';
