/**
 * The API server alone. `import { ApiServer } from '@chancery/testing/api-server'` takes less time
 * than an import of `@chancery/testing`, which also exports `ApiServer`.
 *
 * @module
 */

export { type AdminClock, AdminEndpoint, type AdminOptions } from './admin/admin-endpoint.ts';
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
export { type FaultRule, readFaults } from './apiserver/fault-rules/fault-rule.ts';
export { protobufAsJson } from './apiserver/protobuf/protobuf-as-json.ts';
export { readSnapshot, writeSnapshot } from './apiserver/storage/snapshot-file.ts';
export { MovableClock } from './time/movable-clock.ts';
