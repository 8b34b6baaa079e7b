import { rfc3339 } from 'chancery/internal-objects';
import { boundObject } from '../../auth/bound-object.ts';
import { ISSUER } from '../../auth/service-account-tokens.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { type FieldError, invalid } from '../../failures/invalid.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import { requireStored, type Target } from '../target.ts';

/** The kind of the request and of its answer. */
export const TOKEN_REQUEST: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
} = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
};

/** The default lifetime of a token, and the shortest lifetime. */
const DEFAULT_EXPIRATION_SECONDS = 3_600;
const MIN_EXPIRATION_SECONDS = 600;
const MAX_EXPIRATION_SECONDS = 2 ** 32;

/**
 * Issues a token to a ServiceAccount (`kubectl create token`). On request the token is bound to a
 * Pod, a Secret or a Node.
 *
 * @throws ApiError 404 for a missing ServiceAccount or bound object, 409 for an object with another uid, 400
 * for an object that tokens cannot be bound to, 422 for a lifetime that is too short or too long.
 */
export function requestToken(cluster: Cluster, target: Target, body: Json): Json {
  const account = requireStored(cluster, target);
  const spec = isObject(body.spec) ? body.spec : {};
  const expirationSeconds = Number(spec.expirationSeconds ?? DEFAULT_EXPIRATION_SECONDS);
  const problem = lifetimeProblem(expirationSeconds);
  if (problem !== undefined) throw invalid(TOKEN_REQUEST, '', [problem]);
  const asked = Array.isArray(spec.audiences) ? spec.audiences.map(String) : [];
  const audiences = asked.length === 0 ? [ISSUER] : asked;
  const nowMs = cluster.clock.now();
  const bound = boundObject(cluster.storage, account, spec.boundObjectRef);
  const { issued } = cluster.authentication;
  const token = issued.issue(account, { audiences, expirationSeconds, bound });
  return {
    kind: TOKEN_REQUEST.kind,
    apiVersion: `${TOKEN_REQUEST.group}/${TOKEN_REQUEST.version}`,
    metadata: {
      name: target.name,
      namespace: target.namespace,
      creationTimestamp: rfc3339(nowMs),
    },
    spec: { audiences, expirationSeconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: rfc3339(nowMs + expirationSeconds * 1_000) },
  };
}

function lifetimeProblem(seconds: number): FieldError | undefined {
  const why =
    seconds < MIN_EXPIRATION_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : seconds > MAX_EXPIRATION_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (why === undefined) return undefined;
  const message = `Invalid value: ${seconds}: ${why}`;
  return { field: 'spec.expirationSeconds', reason: 'FieldValueInvalid', message };
}
