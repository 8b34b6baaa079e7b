import { isMapping, type Mapping } from '../../core/mapping.ts';
import type { Condition } from '../../model/condition.ts';
import type { KubernetesObject } from '../../model/object.ts';

/**
 * `map`: the definition declares `status.conditions` as a map by type, in which each writer owns its own
 * conditions. `atomic`: the last writer owns the list as a whole.
 */
type ListForm = 'map' | 'atomic';

/** Maximum number of objects whose earlier conditions are remembered. A forgotten object is read again. */
const MAX_OBJECTS = 10_000;

/** Maximum number of remembered condition types that belong to the controller. */
const MAX_TYPES = 1_000;

/** The maximum length of a field manager's name in the API server. */
const MAX_MANAGER_CHARS = 128;

const NONE: ReadonlySet<string> = new Set();

/**
 * What a controller knows about the conditions in the statuses of its objects: whether the list is a map or
 * atomic, and which condition types belong to the controller.
 *
 * The list type is learned from the API server: in the answer to an apply, `metadata.managedFields` contains
 * an entry for each item of a map, but only one for a whole atomic list. So no schema and no right to read
 * definitions is needed, and a change of the definition is noticed, too. An atomic list has no information
 * about which writer owns which condition. So the name of the field manager contains the condition types, see
 * `managerOf`.
 */
export class ConditionList {
  #form: ListForm | undefined;
  #isUnreadable = false;
  /** Condition types that this process has written to any object. */
  readonly #stated = new Set<string>();
  /** The condition types that an earlier process has written, by the uid of the object. */
  readonly #earlier = new Map<string, ReadonlySet<string>>();

  /** `map` or `atomic`; undefined until an answer has revealed it. */
  get form(): ListForm | undefined {
    return this.#form;
  }

  /** @param types - the types of the conditions that are written now. */
  states(types: Iterable<string>): void {
    for (const type of types) {
      this.#stated.delete(type);
      this.#stated.add(type);
    }
    for (const oldest of this.#stated) {
      if (this.#stated.size <= MAX_TYPES) return;
      this.#stated.delete(oldest);
    }
  }

  /**
   * Determines the list type from the object after an apply.
   *
   * @param manager - the manager that has applied the object. Fields of other managers may still be recorded
   *   according to an earlier definition.
   * @returns false for the first answer that does not reveal the list type, because it has no readable
   *   managedFields. The list is then treated as atomic, so that nothing is lost.
   */
  learn(answer: KubernetesObject, manager: string | undefined): boolean {
    const form = formIn(answer, manager);
    if (form !== undefined) this.#form = form;
    if (form !== undefined || conditionsOf(statusOf(answer)).length === 0) return true;
    this.#form = 'atomic';
    const isFirst = !this.#isUnreadable;
    this.#isUnreadable = true;
    return !isFirst;
  }

  /**
   * The conditions of `object` that other writers own. `types` are the types of the conditions that are
   * written now.
   */
  others(object: KubernetesObject, types: ReadonlySet<string>): readonly Condition[] {
    const earlier = this.#earlier.get(object.metadata.uid ?? '') ?? NONE;
    return conditionsOf(statusOf(object)).filter(
      ({ type }) => !types.has(type) && !this.#stated.has(type) && !earlier.has(type),
    );
  }

  /** True if the managedFields of `object` can reveal more about its conditions than is known. */
  isUnknown(object: KubernetesObject, types: ReadonlySet<string>): boolean {
    const isRead = this.#earlier.has(object.metadata.uid ?? '');
    return !isRead && this.others(object, types).length > 0;
  }

  /** Remembers which conditions come from an earlier process of the same controller. */
  learnEarlier(uid: string, live: KubernetesObject | undefined, fieldManager: string): void {
    this.#earlier.set(uid, live === undefined ? NONE : earlierTypes(live, fieldManager));
    const [oldest] = this.#earlier.keys();
    if (this.#earlier.size > MAX_OBJECTS && oldest !== undefined) this.#earlier.delete(oldest);
  }

  /** The list with `wanted` merged in. The conditions of other writers keep their positions. */
  merged(object: KubernetesObject, wanted: readonly Condition[]): readonly Condition[] {
    const waiting = new Map(wanted.map((condition) => [condition.type, condition]));
    const others = new Set(this.others(object, new Set(waiting.keys())));
    const merged = conditionsOf(statusOf(object)).flatMap((known) => {
      const own = waiting.get(known.type);
      waiting.delete(known.type);
      return own ?? (others.has(known) ? [known] : []);
    });
    return [...merged, ...waiting.values()];
  }
}

/** The status of an object; empty when the object has none. */
export function statusOf(object: KubernetesObject): Mapping {
  const { status } = object as { readonly status?: unknown };
  return isMapping(status) ? status : {};
}

/** The conditions of a status. Omits items that are not objects, because nothing identifies them. */
export function conditionsOf({ conditions }: Mapping): readonly Condition[] {
  return Array.isArray(conditions) ? conditions.filter(isMapping as never) : [];
}

/**
 * The field manager of a status with an atomic list of conditions. The name contains the controller's own
 * condition types, so that the next process knows them. Other statuses use the plain name.
 */
export function managerOf(fieldManager: string, types: ReadonlySet<string>): string {
  const name = `${prefixOf(fieldManager)}${[...types].sort().join(',')}`;
  return name.length <= MAX_MANAGER_CHARS ? name : prefixOf(fieldManager);
}

/** True if the controller writes statuses under this name, see `managerOf`. */
export function isNameOf(fieldManager: string, manager: string): boolean {
  return manager === fieldManager || manager.startsWith(prefixOf(fieldManager));
}

/** Names of controllers contain no `/`, so this prefix never clashes. */
function prefixOf(fieldManager: string): string {
  return `${fieldManager}/status/`;
}

/** What one field manager owns in a status. */
interface Share {
  readonly manager: string;
  /** True if the fields were written by server-side apply, so that another apply can give them up. */
  readonly isApplied: boolean;
  /** The owned fields, in the notation of managedFields. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The owned fields of the conditions; undefined when the manager owns none. */
  readonly conditions: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The managers that own fields of the status in this version of the object. Unreadable entries are omitted.
 */
export function sharesOf({ apiVersion, metadata }: KubernetesObject): readonly Share[] {
  const entries: unknown = metadata.managedFields;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown): readonly Share[] => {
    if (!isMapping(entry) || !isMapping(entry.fieldsV1)) return [];
    const fields = entry.fieldsV1['f:status'];
    if (!isMapping(fields) || entry.apiVersion !== apiVersion) return [];
    const conditions = fields['f:conditions'];
    const manager = String(entry.manager);
    const isApplied = entry.operation === 'Apply' && entry.subresource === 'status';
    return [
      { manager, isApplied, fields, conditions: isMapping(conditions) ? conditions : undefined },
    ];
  });
}

function formIn(object: KubernetesObject, manager: string | undefined): ListForm | undefined {
  if (conditionsOf(statusOf(object)).length === 0) return undefined; // an empty map looks like an atomic list
  const all = sharesOf(object).filter(({ conditions }) => conditions !== undefined);
  const own = all.filter((share) => share.isApplied && share.manager === manager);
  const parts = own.length > 0 ? own : all;
  const names = parts.flatMap(({ conditions = {} }) => Object.keys(conditions));
  if (parts.length === 0) return undefined;
  return names.some((name) => name.startsWith('k:')) ? 'map' : 'atomic';
}

function earlierTypes(live: KubernetesObject, fieldManager: string): ReadonlySet<string> {
  const owners = sharesOf(live).filter(({ conditions }) => conditions !== undefined);
  // A status that was written before the list type was known has the plain name.
  if (owners.length > 0 && owners.every(({ manager }) => manager === fieldManager)) {
    return new Set(conditionsOf(statusOf(live)).map(({ type }) => type));
  }
  const prefix = prefixOf(fieldManager);
  const named = sharesOf(live).filter(({ manager }) => manager.startsWith(prefix));
  return new Set(named.flatMap(({ manager }) => manager.slice(prefix.length).split(',')));
}

/** A former name of the controller that still owns fields of a status. */
export interface FormerName {
  readonly manager: string;
  /**
   * The conditions that the former name continues to own. They belong to other writers, but the former name
   * once wrote them together with the controller's conditions. There are none if the list is atomic.
   */
  readonly keeps: readonly Condition[];
}

/**
 * The names, other than `used`, under which the controller still owns fields. Those fields would otherwise
 * never be removed.
 */
export function formerNames(
  answer: KubernetesObject,
  names: {
    readonly fieldManager: string;
    readonly used: string;
    /** Conditions of other writers, if the list is a map. */
    readonly others: readonly Condition[];
  },
): readonly FormerName[] {
  const { fieldManager, used, others } = names;
  return sharesOf(answer)
    .filter(({ manager }) => isNameOf(fieldManager, manager))
    .filter(({ manager, isApplied }) => isApplied && manager !== used)
    .map(({ manager, fields, conditions = {} }) => {
      const keeps = others.filter(({ type }) => Object.hasOwn(conditions, itemName(type)));
      const size = Object.keys(conditions).filter((key) => key.startsWith('k:')).length;
      const isKeptOnly = Object.keys(fields).every((name) => name === 'f:conditions');
      return { manager, keeps, isDone: isKeptOnly && keeps.length > 0 && keeps.length === size };
    })
    .filter(({ isDone }) => !isDone);
}

/** The name of a map item in `managedFields`. */
function itemName(type: string): string {
  return `k:${JSON.stringify({ type })}`;
}
