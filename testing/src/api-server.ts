/**
 * The API server alone: `import { ApiServer } from '@chancery/testing/api-server'` takes half the time of
 * `@chancery/testing`, which has it, too.
 *
 * @module
 */

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
} from './apiserver/api-server.ts';
