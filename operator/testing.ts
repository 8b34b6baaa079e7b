/**
 * What stands in for a cluster in tests: a second public entry, `chancery/testing`, so that nothing
 * of it reaches an operator's image.
 *
 * @module
 */

export {
  type Ambassador,
  type AmbassadorKind,
  type AmbassadorOptions,
  startAmbassador,
} from './testing/ambassador.ts';
export {
  ApiServer,
  type ApiServerOptions,
  type AuthenticationOptions,
  type AuthorizationMode,
  type RecordedRequest,
  type SecurePort,
  type TlsOptions,
  type TokenRequestSpec,
  type TurnedAway,
  type User,
  type WorkloadOptions,
} from './testing/apiserver/api-server.ts';
export type { BehaviourOptions } from './testing/apiserver/behaviour.ts';
export type {
  CommittedEvent,
  ResourceName,
  StoredObject,
} from './testing/apiserver/cluster-access.ts';
export type { ServerGeneration } from './testing/apiserver/server-generation.ts';
export type { StorageSnapshot } from './testing/apiserver/storage/snapshot.ts';
export {
  Storage,
  type StorageEvent,
  type StorageListener,
  type StorageOptions,
} from './testing/apiserver/storage/storage.ts';
export type { WatchWindowOptions } from './testing/apiserver/storage/watch-window.ts';
export { type ConsistentlyOptions, consistently } from './testing/consistently.ts';
export type { Manifest } from './testing/env/api-calls.ts';
export { chooseBackend, type TestBackend } from './testing/env/choose-backend.ts';
export {
  type CrashPoint,
  type CrashScenario,
  crashPoints,
  type Killable,
} from './testing/env/crash-points.ts';
export type { EventFilter, EventLog, LoggedEvent } from './testing/env/event-log.ts';
export { type RequestGate, RequestLine } from './testing/env/request-line.ts';
export type { LoggedRequest, RequestFilter, RequestLog, Verb } from './testing/env/request-log.ts';
export { withoutServerFields } from './testing/env/server-fields.ts';
export { startTestEnv, type TestEnvOptions } from './testing/env/start-test-env.ts';
export type { EnvFeature, TestEnv } from './testing/env/test-env.ts';
export { type EventuallyOptions, eventually } from './testing/eventually.ts';
export { FakeClock, settle } from './testing/fake-clock.ts';
export type { ConnectionFault, CutKind } from './testing/faults/connection-fault.ts';
export type { End, Exchange, Reply, ServedRequest } from './testing/faults/exchange.ts';
export { ProxiedConnection } from './testing/faults/proxied-connection.ts';
export {
  delayed,
  errorEvent,
  failure,
  json,
  raw,
  reset,
  type Step,
  type StreamOptions,
  silence,
  stream,
  text,
} from './testing/faults/replies.ts';
export {
  type CollectionEvent,
  ScriptedCollection,
  type ScriptedCollectionOptions,
} from './testing/faults/scripted-collection.ts';
export {
  type RequestMatch,
  ScriptedServer,
  type ScriptedServerOptions,
} from './testing/faults/scripted-server.ts';
export { ScriptedWatch } from './testing/faults/scripted-watch.ts';
export {
  type AdvanceUntilOptions,
  advanceUntil,
  settleSockets,
} from './testing/faults/settle-sockets.ts';
export { TcpProxy, type TcpProxyOptions } from './testing/faults/tcp-proxy.ts';
export { freePort } from './testing/free-port.ts';
export { findKubectl } from './testing/kubectl.ts';
export {
  type AmbassadorFilter,
  KubectlProxy,
  type KubectlProxyOptions,
} from './testing/kubectl-proxy.ts';
export { configMap, customResource, type Secret, secret } from './testing/objects/config.ts';
export { type MetadataFields, ownerReference } from './testing/objects/metadata.ts';
export {
  type Container,
  daemonSet,
  deployment,
  type JobObject,
  job,
  type PodObject,
  type PodSpec,
  type PodTemplate,
  pod,
  type ServiceObject,
  service,
  statefulSet,
  type WorkloadFields,
  type WorkloadObject,
} from './testing/objects/workloads.ts';
export {
  type OperatorLogLine,
  startOperator,
  TestOperator,
  type TestOperatorOptions,
} from './testing/operator/test-operator.ts';
export { RecordingMeter } from './testing/recording-meter.ts';
export { StandInAmbassador } from './testing/stand-in-ambassador.ts';
