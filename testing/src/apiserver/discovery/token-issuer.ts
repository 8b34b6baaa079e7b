import { ISSUER } from '../auth/service-account-tokens.ts';
import type { Json } from '../objects/metadata.ts';

/**
 * The answer to `/.well-known/openid-configuration`, which describes the issuer of ServiceAccount tokens.
 */
export function issuerDocument(address: string): Json {
  return {
    issuer: ISSUER,
    jwks_uri: `http://${address}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['HS256'],
  };
}

/**
 * The answer to `/openid/v1/jwks`: an empty list of keys. Tokens are signed with a secret of this server, so
 * only the server itself can verify them, through a TokenReview.
 */
export const ISSUER_KEYS: Json = { keys: [] };
