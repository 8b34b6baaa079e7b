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
export { findKubectl } from './testing/kubectl.ts';
export {
  type AmbassadorFilter,
  KubectlProxy,
  type KubectlProxyOptions,
} from './testing/kubectl-proxy.ts';
export { RecordingMeter } from './testing/recording-meter.ts';
export { StandInAmbassador } from './testing/stand-in-ambassador.ts';
