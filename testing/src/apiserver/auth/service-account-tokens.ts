import process from 'node:process';
import type { Clock } from 'chancery';
import { objectKey } from 'chancery/internal-objects';
import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { Storage } from '../storage/storage.ts';
import { type BoundObject, boundClaims, isBoundAlive, isSame, LEEWAY_MS } from './bound-object.ts';
import { type Caller, callerOf, serviceAccountUser } from './user.ts';

const { createHmac, randomBytes, randomUUID, timingSafeEqual } =
  process.getBuiltinModule('node:crypto');

/** The issuer of the tokens. It is also their default audience. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

const EXTRA = 'authentication.kubernetes.io/';

export interface TokenOptions {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** The object that the token is bound to, besides its ServiceAccount. */
  readonly bound?: BoundObject | undefined;
}

/** The user of a valid token, and the audiences of the token. */
export interface TokenHolder {
  readonly caller: Caller;
  readonly audiences: readonly string[];
}

/**
 * Issues and checks the tokens of ServiceAccounts. They are JWTs with the same claims as a real server's
 * tokens, and are signed with a key that only this server has (HS256). As on a real server, a token is valid
 * until a minute after it expires. The ServiceAccount and the object to which the token is bound must still
 * exist with the same uids. If one of them is being deleted, the token is valid until a minute after the
 * `deletionTimestamp`.
 */
export class ServiceAccountTokens {
  readonly #storage: Storage;
  readonly #clock: Clock;
  #key: Buffer | undefined;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  issue({ metadata }: StoredObject, options: TokenOptions): string {
    const { audiences, expirationSeconds, bound } = options;
    const { namespace = '', name, uid = '' } = metadata;
    const now = Math.floor(this.#clock.now() / 1_000);
    return this.#signed({
      aud: audiences,
      exp: now + expirationSeconds,
      iat: now,
      iss: ISSUER,
      jti: randomUUID(),
      'kubernetes.io': { namespace, ...boundClaims(bound), serviceaccount: { name, uid } },
      nbf: now,
      sub: serviceAccountUser(namespace, name),
    });
  }

  /** @returns undefined for a token that this server has not issued, or that is no longer valid. */
  holderOf(token: string): TokenHolder | undefined {
    const claims = this.#claimsOf(token);
    const nowMs = this.#clock.now();
    if (claims === undefined || Number(claims.exp) * 1_000 < nowMs - LEEWAY_MS) return undefined;
    const namespace = textAt(claims, ['kubernetes.io', 'namespace']);
    const name = textAt(claims, ['kubernetes.io', 'serviceaccount', 'name']);
    const uid = textAt(claims, ['kubernetes.io', 'serviceaccount', 'uid']);
    const account = this.#storage.get('serviceaccounts', objectKey(namespace, name));
    if (!isSame(account, uid, nowMs)) return undefined;
    if (!isBoundAlive(this.#storage, namespace, claims, nowMs)) return undefined;
    const extra = { ...podExtra(claims), [`${EXTRA}credential-id`]: [`JTI=${claims.jti}`] };
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
    const found = Buffer.from(signature, 'base64url');
    if (found.length !== expected.length || !timingSafeEqual(found, expected)) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isObject(claims) ? claims : undefined;
  }

  #signature(content: string): Buffer {
    this.#key ??= randomBytes(32);
    return createHmac('sha256', this.#key).update(content).digest();
  }
}

/**
 * The `extra` fields of the user. They contain the name and the uid of the Pod to which the token is bound.
 */
function podExtra(claims: Json): Readonly<Record<string, readonly string[]>> {
  const pod = valueAt(claims, ['kubernetes.io', 'pod']);
  if (!isObject(pod)) return {};
  return { [`${EXTRA}pod-name`]: [String(pod.name)], [`${EXTRA}pod-uid`]: [String(pod.uid)] };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function textAt(claims: Json, path: readonly string[]): string {
  return String(valueAt(claims, path) ?? '');
}
