/**
 * What stands in for a cluster in tests: a second public entry, `chancery/testing`, so that nothing
 * of it reaches an operator's image.
 *
 * @module
 */

export {
  ApiServer,
  type ApiServerOptions,
  type RecordedRequest,
  type WorkloadOptions,
} from './testing/apiserver/api-server.ts';
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
export { findKubectl } from './testing/kubectl.ts';
export {
  type AmbassadorFilter,
  KubectlProxy,
  type KubectlProxyOptions,
} from './testing/kubectl-proxy.ts';
export { RecordingMeter } from './testing/recording-meter.ts';
export { StandInAmbassador } from './testing/stand-in-ambassador.ts';
