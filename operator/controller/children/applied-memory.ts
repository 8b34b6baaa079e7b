import { nodeCrypto } from '../../core/builtin-modules.ts';
import { deepJson } from '../../core/deep-json.ts';
import { isOlder, type KubernetesObject, keyOf } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';

/** What was applied to one object last, and what the server made of it. Digests: bodies may be large. */
interface Applied {
  readonly uid: string;
  readonly statedDigest: string;
  /** Of the object after the apply. */
  readonly resourceVersion: string;
  readonly shownDigest: string;
  /** After `create` there may be fields that only the creation wants. */
  readonly by: 'create' | 'apply';
}

/** Objects that are remembered. One that is forgotten is applied once more, without effect. */
const MAX_OBJECTS = 10_000;

/**
 * What this process has applied, so that it need not be applied again.
 *
 * A cached object alone does not tell: the server adds defaults and writes values in its own form, and
 * a field that is not stated any more, and must go, looks like anybody's. So an apply is without effect
 * when it states what the last one did, and the object still has, in the fields concerned, what that
 * one has led to. A process that remembers nothing, after a restart, applies once.
 */
export class AppliedMemory {
  readonly #applied = new Map<string, Applied>();

  /** True when applying `stated` to `known`, as a cache or the server shows it, changes nothing. */
  isApplied(
    resource: Resource,
    known: KubernetesObject,
    stated: KubernetesObject,
    subresource: string = '',
  ): boolean {
    const name = nameOf(resource, known, subresource);
    const applied = this.#applied.get(name);
    const { uid, resourceVersion = '' } = known.metadata;
    if (applied === undefined || applied.uid !== uid) return false;
    if (applied.statedDigest !== digestOf(stated)) return false;
    // A cache that is behind our own write shows what was before it.
    if (isOlder(resourceVersion, applied.resourceVersion)) return true;
    const shownDigest = shownDigestOf(known, stated);
    if (resourceVersion === applied.resourceVersion) {
      // The same object, in the form in which it is cached: fields may be dropped there.
      this.#set(name, { ...applied, shownDigest });
      return true;
    }
    return shownDigest === applied.shownDigest;
  }

  /** True when `known`, as a cache shows it, is from before what was applied to it last. */
  isBehind(resource: Resource, known: KubernetesObject, subresource: string = ''): boolean {
    const applied = this.#applied.get(nameOf(resource, known, subresource));
    const { uid, resourceVersion = '' } = known.metadata;
    return applied?.uid === uid && isOlder(resourceVersion, applied?.resourceVersion ?? '');
  }

  /** @param answer - the object after `stated` was applied. */
  remember(
    resource: Resource,
    answer: KubernetesObject,
    stated: KubernetesObject,
    subresource: string = '',
  ): void {
    this.#set(nameOf(resource, answer, subresource), appliedOf(answer, stated, 'apply'));
  }

  /** @param answer - the object as `stated` has created it. */
  rememberCreation(resource: Resource, answer: KubernetesObject, stated: KubernetesObject): void {
    this.#set(nameOf(resource, answer, ''), appliedOf(answer, stated, 'create'));
  }

  /** How this process has written to this very object last; undefined when it knows of nothing. */
  lastWrite(resource: Resource, object: KubernetesObject): Applied['by'] | undefined {
    const applied = this.#applied.get(nameOf(resource, object, ''));
    return applied?.uid === object.metadata.uid ? applied?.by : undefined;
  }

  #set(name: string, applied: Applied): void {
    this.#applied.delete(name);
    this.#applied.set(name, applied);
    if (this.#applied.size <= MAX_OBJECTS) return;
    for (const oldest of this.#applied.keys()) {
      this.#applied.delete(oldest);
      return;
    }
  }
}

function appliedOf(answer: KubernetesObject, stated: KubernetesObject, by: Applied['by']): Applied {
  const { uid = '', resourceVersion = '' } = answer.metadata;
  const statedDigest = digestOf(stated);
  return { uid, resourceVersion, statedDigest, shownDigest: shownDigestOf(answer, stated), by };
}

function nameOf(resource: Resource, object: KubernetesObject, subresource: string): string {
  return `${resourceName(resource)} ${keyOf(object)} ${subresource}`;
}

/** What names the object is no content; of some versions a cache keeps less than an answer has. */
function shownDigestOf(object: KubernetesObject, stated: KubernetesObject): string {
  const { apiVersion: _, kind: __, ...fields } = stated;
  const { uid: ___, ...metadata } = stated.metadata;
  return digestOf(shownFields(object, { ...fields, metadata }));
}

/** Of ES2025, and in every Node that we run on; TypeScript's library does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * What `object` has where `stated` says something: the fields that follow from what was applied, in
 * the server's form (`"1"` for a quantity of `"1000m"`). A list is taken whole, with what the server
 * or another writer has added to its items. Without recursion, as all that follows: an API server takes
 * objects of 10,000 levels.
 */
export function shownFields(object: unknown, stated: unknown): unknown {
  const whole: Fields = emptyFields();
  const waiting = [{ shown: whole, key: 'all', object, stated }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { shown, key, object: part, stated: said } = next;
    if (!isRecord(said) || !isRecord(part)) {
      shown[key] = part;
      continue;
    }
    const inner = emptyFields();
    shown[key] = inner;
    for (const name of Object.keys(said)) {
      waiting.push({ shown: inner, key: name, object: own(part, name), stated: said[name] });
    }
  }
  return whole.all;
}

/** True when `object` has all that `stated` says, in the same words: applying it changes no value. */
export function showsAll(object: unknown, stated: unknown): boolean {
  const waiting: [unknown, unknown][] = [[object, stated]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [part, said] = next;
    if (Array.isArray(said)) {
      if (!Array.isArray(part) || part.length !== said.length) return false;
      for (const [at, item] of said.entries()) waiting.push([part[at], item]);
    } else if (!isRecord(said)) {
      if (!Object.is(part, said)) return false;
    } else {
      if (!isRecord(part)) return false;
      for (const [key, value] of Object.entries(said)) {
        if (value !== undefined) waiting.push([own(part, key), value]);
      }
    }
  }
  return true;
}

/**
 * A digest of a JSON value. Keys count in any order; an undefined member is none.
 *
 * @throws OperatorError `USER_CODE` for a value that contains itself.
 */
export function digestOf(value: unknown): string {
  return nodeCrypto().createHash('sha256').update(sortedText(value)).digest('base64');
}

function sortedText(value: unknown): string {
  try {
    return JSON.stringify(sortedForm(value)) ?? 'null';
  } catch (error) {
    // Nested more deeply than the call stack: the same text, at half the speed.
    if (error instanceof RangeError) return deepJson(value, (_key, part) => sortedLevel(part));
    throw error;
  }
}

/** Keys and values by turns: an object with keys such as `"1"` changes their order by itself. */
class Members {
  readonly members: readonly unknown[];

  constructor(members: readonly unknown[]) {
    this.members = members;
  }
}

function sortedForm(value: unknown): unknown {
  const level = sortedLevel(value);
  if (Array.isArray(level)) return level.map(sortedForm);
  return level instanceof Members ? new Members(level.members.map(sortedForm)) : level;
}

function sortedLevel(value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value));
  if (!isRecord(value) || typeof value.toJSON === 'function') return value;
  const members: unknown[] = [];
  for (const key of Object.keys(value).sort()) {
    if (value[key] !== undefined) members.push(key, value[key]);
  }
  return new Members(members);
}

type Fields = Record<string, unknown>;

/** A member named `__proto__` is one like any other. */
function emptyFields(): Fields {
  return Object.create(null) as Fields;
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
