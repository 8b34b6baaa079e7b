import { objectKey } from 'chancery/internal-objects';
import { badRequest } from '../failures/failure.ts';
import { conflict, notFound } from '../failures/object-failures.ts';
import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { Storage } from '../storage/storage.ts';

/**
 * An object to which a token is bound, besides its ServiceAccount. The token is valid only while
 * the object exists.
 */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}

/**
 * How long a token stays valid after its expiration, or after the `deletionTimestamp` of its object (go-jose:
 * `DefaultLeeway`).
 */
export const LEEWAY_MS = 60_000;

const PLURALS = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const;

/**
 * The object in `spec.boundObjectRef` of a TokenRequest; undefined if this field is missing.
 *
 * @throws ApiError 400 for a kind that tokens cannot be bound to, and for a Pod with another ServiceAccount,
 * 404 for a missing object, 409 for an object with another uid.
 */
export function boundObject(
  storage: Storage,
  account: StoredObject,
  reference: unknown,
): BoundObject | undefined {
  if (!isObject(reference)) return undefined;
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference as Record<string, string>;
  if (apiVersion !== 'v1' || !isBindable(kind)) {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const object = stored(storage, account.metadata.namespace, { kind, name });
  if (object === undefined) throw notFound({ group: '', plural: PLURALS[kind] }, name);
  if (kind === 'Pod' && podAccount(object) !== account.metadata.name) {
    throw badRequest(
      `cannot bind token for serviceaccount "${account.metadata.name}" to pod running with different serviceaccount name.`,
    );
  }
  const found = object.metadata.uid ?? '';
  if (uid !== '' && uid !== found) {
    throw conflict(
      { group: '', plural: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return { kind, name, uid: found };
}

/** The claims of a token about its bound object. */
export function boundClaims(bound: BoundObject | undefined): Json {
  if (bound === undefined) return {};
  return { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } };
}

/** True when all objects to which a token is bound still exist and have the uids in the token's claims. */
export function isBoundAlive(
  storage: Storage,
  namespace: string,
  claims: Json,
  nowMs: number,
): boolean {
  return (['Pod', 'Secret', 'Node'] as const).every((kind) => {
    const claim = valueAt(claims, ['kubernetes.io', kind.toLowerCase()]);
    if (!isObject(claim)) return true;
    return isSame(stored(storage, namespace, { kind, name: String(claim.name) }), claim.uid, nowMs);
  });
}

/** True if an object exists and has this uid. False if its `deletionTimestamp` is more than a minute ago. */
export function isSame(object: StoredObject | undefined, uid: unknown, nowMs: number): boolean {
  if (object === undefined || object.metadata.uid !== uid) return false;
  const { deletionTimestamp } = object.metadata;
  return deletionTimestamp === undefined || Date.parse(deletionTimestamp) >= nowMs - LEEWAY_MS;
}

function isBindable(kind: string): kind is BoundObject['kind'] {
  return Object.hasOwn(PLURALS, kind);
}

function stored(
  storage: Storage,
  namespace: string | undefined,
  { kind, name }: Pick<BoundObject, 'kind' | 'name'>,
): StoredObject | undefined {
  return storage.get(PLURALS[kind], objectKey(kind === 'Node' ? undefined : namespace, name));
}

function podAccount(pod: StoredObject): string {
  return String(valueAt(pod, ['spec', 'serviceAccountName']) ?? 'default');
}
