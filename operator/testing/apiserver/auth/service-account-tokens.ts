import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { objectKey } from '../../../model/object.ts';
import type { StoredObject } from '../cluster-access.ts';
import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import type { Storage } from '../storage/storage.ts';
import { type Caller, callerOf, serviceAccountUser } from './user.ts';

/** Who issues tokens and, unless it is asked for others, whom they are meant for. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

export interface TokenOptions {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/** Who a valid token stands for, and whom it is meant for. */
export interface TokenHolder {
  readonly caller: Caller;
  readonly audiences: readonly string[];
}

/**
 * Tokens of ServiceAccounts: JWTs in the form of a real server's, signed with a key of this server
 * alone (HS256). One is good until it expires, or its ServiceAccount is gone.
 */
export class ServiceAccountTokens {
  readonly #storage: Storage;
  readonly #clock: Clock;
  #key: Buffer | undefined;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  issue({ metadata }: StoredObject, { audiences, expirationSeconds }: TokenOptions): string {
    const { namespace = '', name, uid = '' } = metadata;
    const now = Math.floor(this.#clock.now() / 1_000);
    return this.#signed({
      aud: audiences,
      exp: now + expirationSeconds,
      iat: now,
      iss: ISSUER,
      jti: randomUUID(),
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      nbf: now,
      sub: serviceAccountUser(namespace, name),
    });
  }

  /** @returns undefined for a token that this server has not issued, or that is good no longer. */
  holderOf(token: string): TokenHolder | undefined {
    const claims = this.#claimsOf(token);
    if (claims === undefined || Number(claims.exp) <= this.#clock.now() / 1_000) return undefined;
    const namespace = textAt(claims, ['kubernetes.io', 'namespace']);
    const name = textAt(claims, ['kubernetes.io', 'serviceaccount', 'name']);
    const uid = textAt(claims, ['kubernetes.io', 'serviceaccount', 'uid']);
    const account = this.#storage.get('serviceaccounts', objectKey(namespace, name));
    if (account?.metadata.uid !== uid) return undefined;
    const extra = { 'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`] };
    return {
      caller: callerOf({ name: serviceAccountUser(namespace, name), uid, extra }),
      audiences: Array.isArray(claims.aud) ? claims.aud.map(String) : [],
    };
  }

  #signed(claims: object): string {
    const head = encoded({ alg: 'HS256', typ: 'JWT' });
    const content = `${head}.${encoded(claims)}`;
    return `${content}.${this.#signature(content).toString('base64url')}`;
  }

  #claimsOf(token: string): Json | undefined {
    const [head = '', payload = '', signature = '', ...more] = token.split('.');
    if (more.length > 0) return undefined;
    const expected = this.#signature(`${head}.${payload}`);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isObject(claims) ? claims : undefined;
  }

  #signature(content: string): Buffer {
    this.#key ??= randomBytes(32);
    return createHmac('sha256', this.#key).update(content).digest();
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function textAt(claims: Json, path: readonly string[]): string {
  return String(valueAt(claims, path) ?? '');
}
