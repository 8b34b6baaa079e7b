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
} from './core/errors.ts';
export { type Labels, type Meter, noMeter } from './core/metrics.ts';
export { formatYaml, parseYaml, parseYamlDocuments } from './core/yaml.ts';

// Kubernetes data

export {
  type ConfigMap,
  configMaps,
  daemonSets,
  deployments,
  events,
  type KubernetesEvent,
  type Lease,
  leases,
  type ObjectReference,
  type Pod,
  pods,
  replicaSets,
  statefulSets,
  type Workload,
} from './model/builtin.ts';
export { type Condition, rfc3339, rfc3339Micro, setCondition } from './model/condition.ts';
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
export { type RestClientOptions, restClient } from './client/rest-client.ts';
export { type RetryingClientOptions, retryingClient } from './client/retrying-client.ts';
export { type ServerVersion, serverVersion } from './client/server-version.ts';
export {
  type Consistency,
  type Controller,
  type ControllerOptions,
  controller,
  enqueueMapped,
  isController,
  type Mapping,
  type Owned,
  type Permission,
} from './controller/controller.ts';
export type { EventNote, EventRecorder } from './controller/event-recorder.ts';
export type { Finalizer } from './controller/finalizer.ts';
export type { Predicate, PredicateEvent } from './controller/predicate.ts';
export {
  AWAIT_CHANGE,
  type Desired,
  type DesiredCondition,
  type DesiredStatus,
  type Log,
  type ReconcileContext,
  type Reconciler,
  type Result,
  type Self,
} from './controller/reconciler.ts';
export { type Source, type SourceOptions, source } from './controller/source.ts';
export { TerminalError } from './controller/terminal-error.ts';
export type { Trigger } from './controller/trigger.ts';

// One declaration, many outputs

export { type ProxyFilter, proxyArguments, proxyFilter } from './generate/proxy-filter.ts';
