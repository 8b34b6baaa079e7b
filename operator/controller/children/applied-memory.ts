import { nodeCrypto } from '../../core/builtin-modules.ts';
import { deepJson } from '../../core/json/deep-json.ts';
import { isMapping } from '../../core/mapping.ts';
import { isOlder, type KubernetesObject, keyOf } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { UndeclaredFields } from '../object-shape/added-fields.ts';
import { AtomicMaps, type MapField } from '../object-shape/atomic-maps.ts';
import { ConditionList } from '../object-shape/condition-list.ts';
import { isEmpty } from '../object-shape/maps-of-others.ts';
import { memberOf } from './json-difference.ts';

/**
 * Maximum number of remembered objects that are not in any cache of the controller. A forgotten object is
 * applied again, without effect.
 */
const MAX_UNCACHED = 10_000;

/** Bytes of a digest. By chance, one in 2^64 pairs of different values has the same digest. */
const DIGEST_BYTES = 16;

/** After `create`, the field manager of the creation may still own fields that no apply has contained. */
type LastWrite = 'create' | 'apply';

/** The subresource to which an apply was sent. Undefined for the object itself. */
type Part = 'status';

/**
 * The last apply to one object, and its result on the server. Stored as digests, because bodies may be large.
 */
interface Applied {
  readonly by: LastWrite;
  /**
   * True if `shown` was computed from the object in the cache, from which a transform may have dropped
   * fields.
   */
  readonly isCachedForm: boolean;
  readonly stated: string;
  readonly shown: string;
  /** The version after the apply. */
  readonly resourceVersion: string;
}

/**
 * Remembers what this process has applied, to skip applies that would change nothing.
 *
 * The cached object alone is not enough to decide this. The server adds defaults and normalizes values, and a
 * field that is no longer applied, and must be removed, looks like a field of another writer. So an apply is
 * skipped when it is equal to the last apply, and the object still has the values that resulted from the last
 * apply. After a restart nothing is remembered, and each object is applied once.
 *
 * Objects of a cached resource are remembered until `forget` is called for them, without a limit on their
 * number. Of all other objects only the last 10,000 are remembered.
 */
export class AppliedMemory {
  /** The status fields that are omitted because the definition does not declare them. */
  readonly undeclared: UndeclaredFields = new UndeclaredFields();
  /** What is known about the conditions in statuses. */
  readonly conditions: ConditionList = new ConditionList();
  /** The names of the resources whose objects `forget` is called for. */
  readonly #followed = new Set<string>();
  /**
   * The key is the uid, which no two objects share. Each value is one string, so that a hundred thousand
   * objects take little memory.
   */
  readonly #cached = new Map<string, string>();
  readonly #uncached = new Map<string, string>();
  /** The atomic maps of each resource, by the name of the resource. */
  readonly #atomic = new Map<string, AtomicMaps>();
  /** Children that this process has created: resource and key → uid of the owner. */
  readonly #made = new Map<string, string>();
  /**
   * The last uids for which `forget` was called. `forget` is not called again if such an object is written
   * later.
   */
  readonly #gone = new Set<string>();

  /** Declares that `forget` will be called for each object of the resource that is gone. */
  follow(resource: Resource): void {
    this.#followed.add(resourceName(resource));
  }

  /** Call this when the object with this uid has left the cache. */
  forget(uid: string): void {
    for (const id of [idOf(uid), idOf(uid, 'status')]) this.#cached.delete(id);
    this.#gone.add(uid);
    const [oldest] = this.#gone.size > MAX_UNCACHED ? this.#gone : [];
    if (oldest !== undefined) this.#gone.delete(oldest);
  }

  /** Call this when the object with this uid is in a cache, or is in it again. */
  cached(uid: string): void {
    this.#gone.delete(uid);
  }

  /** Remembers that this process has created a child of this owner. */
  made(
    resource: Resource,
    child: KubernetesObject,
    { metadata: { uid = '' } }: KubernetesObject,
  ): void {
    const name = nameOf(resource, child);
    this.#made.delete(name);
    this.#made.set(name, uid);
    const [oldest] = this.#made.size > MAX_UNCACHED ? this.#made.keys() : [];
    if (oldest !== undefined) this.#made.delete(oldest);
  }

  /**
   * True when this process has already created a child with this name for this owner (same uid). The last
   * 10,000 children are remembered.
   */
  hasMade(resource: Resource, child: KubernetesObject, owner: KubernetesObject): boolean {
    return this.#made.get(nameOf(resource, child)) === (owner.metadata.uid ?? '');
  }

  /**
   * True when applying `stated` to the object `known` would change nothing. `known` comes from a cache or the
   * server.
   */
  isApplied(
    resource: Resource,
    known: KubernetesObject,
    stated: KubernetesObject,
    part?: Part,
  ): boolean {
    const applied = this.#find(known, part);
    if (applied?.stated !== shortDigestOf(stated)) return false;
    const { resourceVersion = '' } = known.metadata;
    // The cache lags behind a write of this process, and still has the object as it was before that write.
    if (isOlder(resourceVersion, applied.resourceVersion)) return true;
    const isSameVersion = resourceVersion === applied.resourceVersion;
    if (isSameVersion && applied.isCachedForm) return true;
    const shown = shownDigestOf(known, stated, this.#atomicOf(resource).root);
    if (!isSameVersion) return shown === applied.shown;
    this.#set(resource, known, part, { ...applied, shown, isCachedForm: true });
    return true;
  }

  /** True when `known`, which comes from a cache, is older than the last apply to the object. */
  isBehind(known: KubernetesObject, part?: Part): boolean {
    const { resourceVersion = '' } = known.metadata;
    return isOlder(resourceVersion, this.#find(known, part)?.resourceVersion ?? '');
  }

  /**
   * @param answer - the object as it was after `stated` was applied, or after it was created from `stated`.
   */
  remember(
    resource: Resource,
    answer: KubernetesObject,
    stated: KubernetesObject,
    { part, by = 'apply' }: { readonly part?: Part; readonly by?: LastWrite } = {},
  ): void {
    const atomic = this.#atomicOf(resource);
    atomic.learn(answer, stated);
    this.#set(resource, answer, part, {
      by,
      isCachedForm: false,
      stated: shortDigestOf(stated),
      shown: shownDigestOf(answer, stated, atomic.root),
      resourceVersion: answer.metadata.resourceVersion ?? '',
    });
  }

  /** How this process last wrote this object (same uid); undefined when no write is remembered. */
  lastWrite(object: KubernetesObject): LastWrite | undefined {
    return this.#find(object, undefined)?.by;
  }

  #atomicOf(resource: Resource): AtomicMaps {
    const name = resourceName(resource);
    const known = this.#atomic.get(name) ?? new AtomicMaps();
    this.#atomic.set(name, known);
    return known;
  }

  #find({ metadata: { uid = '' } }: KubernetesObject, part: Part | undefined): Applied | undefined {
    const id = idOf(uid, part);
    const text = this.#cached.get(id) ?? this.#uncached.get(id);
    return text === undefined ? undefined : unpacked(text);
  }

  #set(
    resource: Resource,
    { metadata: { uid = '' } }: KubernetesObject,
    part: Part | undefined,
    applied: Applied,
  ): void {
    if (uid === '') return;
    const id = idOf(uid, part);
    if (this.#followed.has(resourceName(resource)) && !this.#gone.has(uid)) {
      this.#cached.set(id, packed(applied));
      return;
    }
    this.#uncached.delete(id);
    this.#uncached.set(id, packed(applied));
    const [oldest] = this.#uncached.size > MAX_UNCACHED ? this.#uncached.keys() : [];
    if (oldest !== undefined) this.#uncached.delete(oldest);
  }
}

function nameOf(resource: Resource, object: KubernetesObject): string {
  return `${resourceName(resource)} ${keyOf(object)}`;
}

function idOf(uid: string, part?: Part): string {
  return part === undefined ? uid : `${part} ${uid}`;
}

const SHOWN_AT = 1 + DIGEST_BYTES;
const VERSION_AT = SHOWN_AT + DIGEST_BYTES;

/** Packs all fields into one string with one byte per character. */
function packed({ by, isCachedForm, stated, shown, resourceVersion }: Applied): string {
  const kind = (by === 'apply' ? 1 : 0) + (isCachedForm ? 2 : 0);
  const text = `${String.fromCharCode(kind)}${stated}${shown}${resourceVersion}`;
  // A concatenated string would keep its operands in memory.
  return Buffer.from(text, 'latin1').toString('latin1');
}

function unpacked(text: string): Applied {
  const kind = text.charCodeAt(0);
  return {
    by: (kind & 1) === 1 ? 'apply' : 'create',
    isCachedForm: (kind & 2) === 2,
    stated: text.slice(1, SHOWN_AT),
    shown: text.slice(SHOWN_AT, VERSION_AT),
    resourceVersion: text.slice(VERSION_AT),
  };
}

/** Omits `apiVersion`, `kind` and `uid`, because they identify the object, and a cache may lack them. */
function shownDigestOf(object: KubernetesObject, stated: KubernetesObject, maps: MapField): string {
  const { apiVersion: _, kind: __, ...fields } = stated;
  const { uid: ___, ...metadata } = stated.metadata;
  return shortDigestOf(shownFields(object, { ...fields, metadata }, maps));
}

/** `rawJSON` is part of ES2025 and of every supported Node; TypeScript's library does not declare it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * The values that `object` has in the fields of `stated`. These are the result of an apply, in the notation
 * of the server (`"1"` for a quantity of `"1000m"`). A list is taken as a whole, including what the server or
 * another writer has added to its items. Like the functions below, this one is not recursive, because an API
 * server accepts objects with 10,000 levels.
 *
 * @param maps - what is known about the maps. If given, atomic maps are taken as a whole, including keys that
 *   `stated` lacks. Empty maps are also taken as a whole, because they may be atomic. If an empty map is
 *   granular, a key of another writer costs one apply that changes nothing.
 */
export function shownFields(object: unknown, stated: unknown, maps?: MapField): unknown {
  const whole: Fields = emptyFields();
  const waiting = [{ shown: whole, key: 'all', object, stated, map: maps }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { shown, key, object: part, stated: statedPart, map } = next;
    const isWhole =
      map?.isAtomic === true ||
      (maps !== undefined && isMapping(statedPart) && isEmpty(statedPart));
    if (isWhole || !isMapping(statedPart) || !isMapping(part)) {
      shown[key] = part;
      continue;
    }
    const inner = emptyFields();
    shown[key] = inner;
    for (const name of Object.keys(statedPart)) {
      waiting.push({
        shown: inner,
        key: name,
        object: memberOf(part, name),
        stated: statedPart[name],
        map: map?.members.get(name),
      });
    }
  }
  return whole.all;
}

/**
 * True when `object` has every value of `stated`, in the same notation, so that applying it changes nothing.
 */
export function showsAll(object: unknown, stated: unknown): boolean {
  const waiting: [unknown, unknown][] = [[object, stated]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [part, statedPart] = next;
    if (Array.isArray(statedPart)) {
      if (!Array.isArray(part) || part.length !== statedPart.length) return false;
      for (const [at, item] of statedPart.entries()) waiting.push([part[at], item]);
    } else if (!isMapping(statedPart)) {
      if (!Object.is(part, statedPart)) return false;
    } else {
      if (!isMapping(part)) return false;
      for (const [key, value] of Object.entries(statedPart)) {
        if (value !== undefined) waiting.push([memberOf(part, key), value]);
      }
    }
  }
  return true;
}

/**
 * A digest of a JSON value. The order of keys does not matter; undefined members are ignored.
 *
 * @throws OperatorError `USER_CODE` for a value that contains itself.
 */
export function digestOf(value: unknown): string {
  return nodeCrypto().hash('sha256', sortedText(value), 'base64');
}

/** The first bytes of `digestOf(value)`, one character per byte. */
function shortDigestOf(value: unknown): string {
  return nodeCrypto().hash('sha256', sortedText(value), 'binary').slice(0, DIGEST_BYTES);
}

function sortedText(value: unknown): string {
  try {
    return JSON.stringify(value, inOneOrder) ?? 'null';
  } catch (error) {
    // The value is nested deeper than the call stack allows. `deepJson` returns the same string at half the
    // speed.
    if (error instanceof RangeError) return deepJson(value, inOneOrder);
    throw error;
  }
}

/** Sorts the keys of a map, so that equal maps have the same order; keys such as `"1"` come first. */
function inOneOrder(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value));
  if (!isMapping(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, value[key]]));
}

type Fields = Record<string, unknown>;

/** An object without a prototype, in which a member named `__proto__` is an ordinary member. */
function emptyFields(): Fields {
  return Object.create(null) as Fields;
}
