import { nodeCrypto } from '../../core/builtin-modules.ts';
import { deepJson } from '../../core/deep-json.ts';
import { isMapping } from '../../core/mapping.ts';
import { isOlder, type KubernetesObject, keyOf } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { UndeclaredFields } from '../object-shape/added-fields.ts';
import { ConditionList } from '../object-shape/condition-list.ts';

/** The last apply to one object, and its result on the server. Digests, because bodies may be large. */
interface Applied {
  readonly uid: string;
  readonly statedDigest: string;
  /** The object's version after the apply. */
  readonly resourceVersion: string;
  readonly shownDigest: string;
  /** After `create`, the creation may still own fields that no apply has stated. */
  readonly by: 'create' | 'apply';
}

/** Number of objects that are remembered. A forgotten object is applied once more, without effect. */
const MAX_OBJECTS = 10_000;

/**
 * Remembers what this process has applied, to skip applies that would change nothing.
 *
 * The cached object alone is not enough to decide this. The server adds defaults and normalizes values, and
 * a field that is no longer stated, and must be removed, looks like a field of another writer. So an apply
 * is skipped when it states the same as the last one, and the object still shows, in the fields concerned,
 * the result of the last one. After a restart nothing is remembered, and each object is applied once.
 */
export class AppliedMemory {
  /** Fields that statuses are written without. */
  readonly undeclared: UndeclaredFields = new UndeclaredFields();
  /** The conditions of statuses. */
  readonly conditions: ConditionList = new ConditionList();
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
    // The cache is behind our own write: it shows the state before it.
    if (isOlder(resourceVersion, applied.resourceVersion)) return true;
    const shownDigest = shownDigestOf(known, stated);
    if (resourceVersion === applied.resourceVersion) {
      // The same version, in its cached form: a transform may have dropped fields.
      this.#set(name, { ...applied, shownDigest });
      return true;
    }
    return shownDigest === applied.shownDigest;
  }

  /** True when `known`, as a cache shows it, is older than the last apply to it. */
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

  /** @param answer - the object that was created from `stated`. */
  rememberCreation(resource: Resource, answer: KubernetesObject, stated: KubernetesObject): void {
    this.#set(nameOf(resource, answer, ''), appliedOf(answer, stated, 'create'));
  }

  /** How this process last wrote this object (same uid); undefined when it remembers no write. */
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

/** Leaves out `apiVersion`, `kind` and `uid`: they identify the object, and a cache may lack them. */
function shownDigestOf(object: KubernetesObject, stated: KubernetesObject): string {
  const { apiVersion: _, kind: __, ...fields } = stated;
  const { uid: ___, ...metadata } = stated.metadata;
  return digestOf(shownFields(object, { ...fields, metadata }));
}

/** Part of ES2025 and of every supported Node; TypeScript's library does not declare it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * The values that `object` has in the fields that `stated` states: the result of an apply, in the server's
 * form (`"1"` for a quantity of `"1000m"`). A list is taken whole, with what the server or another writer
 * has added to its items. Like the functions below it does not recurse: an API server accepts objects with
 * 10,000 levels.
 */
export function shownFields(object: unknown, stated: unknown): unknown {
  const whole: Fields = emptyFields();
  const waiting = [{ shown: whole, key: 'all', object, stated }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { shown, key, object: part, stated: said } = next;
    if (!isMapping(said) || !isMapping(part)) {
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

/** True when `object` has every value of `stated` in the same form, so that applying it changes no value. */
export function showsAll(object: unknown, stated: unknown): boolean {
  const waiting: [unknown, unknown][] = [[object, stated]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [part, said] = next;
    if (Array.isArray(said)) {
      if (!Array.isArray(part) || part.length !== said.length) return false;
      for (const [at, item] of said.entries()) waiting.push([part[at], item]);
    } else if (!isMapping(said)) {
      if (!Object.is(part, said)) return false;
    } else {
      if (!isMapping(part)) return false;
      for (const [key, value] of Object.entries(said)) {
        if (value !== undefined) waiting.push([own(part, key), value]);
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
  return nodeCrypto().createHash('sha256').update(sortedText(value)).digest('base64');
}

function sortedText(value: unknown): string {
  try {
    return JSON.stringify(sortedForm(value)) ?? 'null';
  } catch (error) {
    // Nested deeper than the call stack allows: this gives the same text at half the speed.
    if (error instanceof RangeError) return deepJson(value, (_key, part) => sortedLevel(part));
    throw error;
  }
}

/** Alternating keys and values. An object would not keep this order: keys such as `"1"` come first. */
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
  if (!isMapping(value) || typeof value.toJSON === 'function') return value;
  const members: unknown[] = [];
  for (const key of Object.keys(value).sort()) {
    if (value[key] !== undefined) members.push(key, value[key]);
  }
  return new Members(members);
}

type Fields = Record<string, unknown>;

/** Without a prototype, so that a member named `__proto__` is an ordinary member. */
function emptyFields(): Fields {
  return Object.create(null) as Fields;
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
