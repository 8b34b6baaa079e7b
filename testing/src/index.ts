/**
 * The test kit, which replaces a cluster in tests. It is a separate package, `@chancery/testing`,
 * so that none of it becomes part of an operator's image.
 *
 * @module
 */

export { type AdminClock, AdminEndpoint, type AdminOptions } from './admin/admin-endpoint.ts';
export {
  type Ambassador,
  type AmbassadorKind,
  type AmbassadorOptions,
  startAmbassador,
} from './ambassador/ambassador.ts';
export { findKubectl } from './ambassador/kubectl.ts';
export {
  type AmbassadorFilter,
  KubectlProxy,
  type KubectlProxyOptions,
} from './ambassador/kubectl-proxy.ts';
export { StandInAmbassador } from './ambassador/stand-in-ambassador.ts';
export {
  ApiServer,
  type ApiServerOptions,
  type AuthenticationOptions,
  type AuthorizationMode,
  type InMemoryReceiver,
  type InMemoryRequest,
  type RecordedRequest,
  type SecurePort,
  type TlsOptions,
  type TokenRequestSpec,
  type TurnedAway,
  type User,
  type WorkloadOptions,
} from './apiserver/api-server.ts';
export type { BehaviourOptions } from './apiserver/behaviour/behaviour.ts';
export type { FeatureGates } from './apiserver/behaviour/feature-gates.ts';
export type { ServerGeneration } from './apiserver/behaviour/server-generation.ts';
export { type FaultRule, readFaults } from './apiserver/fault-rules/fault-rule.ts';
export type { FaultRules } from './apiserver/fault-rules/fault-rules.ts';
export type { Manifest } from './apiserver/objects/manifest-objects.ts';
export type {
  CommittedEvent,
  ResourceName,
  StoredObject,
} from './apiserver/objects/stored-object.ts';
export { protobufAsJson } from './apiserver/protobuf/protobuf-as-json.ts';
export type { StorageSnapshot } from './apiserver/storage/snapshot.ts';
export { readSnapshot, writeSnapshot } from './apiserver/storage/snapshot-file.ts';
export {
  Storage,
  type StorageEvent,
  type StorageListener,
  type StorageOptions,
} from './apiserver/storage/storage.ts';
export type { WatchWindowOptions } from './apiserver/storage/watch-window.ts';
export { type RoundTripOptions, type RoundTripReport, roundTrip } from './conversion/round-trip.ts';
export { chooseBackend, type TestBackend } from './env/choose-backend.ts';
export { crashPoints } from './env/crash-points.ts';
export type { CrashPoint, CrashScenario, Killable } from './env/crash-run.ts';
export type { EventFilter, EventLog, LoggedEvent } from './env/event-log.ts';
export { type RequestGate, RequestLine } from './env/request-line.ts';
export type { LoggedRequest, RequestFilter, RequestLog, Verb } from './env/request-log.ts';
export { withoutServerFields } from './env/server-fields.ts';
export { startTestEnv, type TestEnvOptions } from './env/start-test-env.ts';
export type { EnvFeature, TestEnv } from './env/test-env.ts';
export { ExplorationFailure } from './explore/exploration-failure.ts';
export { explore, replaySchedule } from './explore/explore.ts';
export type {
  Change,
  Exploration,
  ExploreOptions,
  Finding,
  Invariant,
  LoggedWrite,
  Scenario,
  ScenarioCluster,
} from './explore/scenario/scenario.ts';
export type { ConnectionFault, CutKind } from './faults/connection-fault.ts';
export type { End, Exchange, Reply, ServedRequest } from './faults/exchange.ts';
export { ProxiedConnection } from './faults/proxied-connection.ts';
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
} from './faults/replies.ts';
export {
  type CollectionEvent,
  ScriptedCollection,
  type ScriptedCollectionOptions,
} from './faults/scripted-collection.ts';
export {
  type RequestMatch,
  ScriptedServer,
  type ScriptedServerOptions,
} from './faults/scripted-server.ts';
export { ScriptedWatch } from './faults/scripted-watch.ts';
export { type AdvanceUntilOptions, advanceUntil, settleSockets } from './faults/settle-sockets.ts';
export { TcpProxy, type TcpProxyOptions } from './faults/tcp-proxy.ts';
export { configMap, customResource, type Secret, secret } from './objects/config.ts';
export { type MetadataFields, ownerReference } from './objects/metadata.ts';
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
} from './objects/workloads.ts';
export { RecordingMeter } from './operator/recording-meter.ts';
export {
  type OperatorLogLine,
  startOperator,
  TestOperator,
  type TestOperatorOptions,
} from './operator/test-operator.ts';
export { freePort } from './ports/free-port.ts';
export { recordedCluster } from './replay/recorded-cluster.ts';
export { replayIncident } from './replay/replay-incident.ts';
export type { IncidentEnd, IncidentOptions } from './replay/replayed-incident.ts';
export { type ConsistentlyOptions, consistently } from './time/consistently.ts';
export { type EventuallyOptions, eventually } from './time/eventually.ts';
export { FakeClock } from './time/fake-clock.ts';
export { MovableClock } from './time/movable-clock.ts';
export { settle } from './time/settle.ts';
