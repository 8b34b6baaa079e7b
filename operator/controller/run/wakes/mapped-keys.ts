import { type Clock, sleep } from '../../../core/clock.ts';
import { OperatorError } from '../../../core/errors.ts';
import type { Entry } from '../../../model/entry.ts';
import {
  keyFrom,
  type ObjectKey,
  type ObjectMeta,
  objectKey,
  ownersIn,
  type Target,
} from '../../../model/object.ts';
import type { Resource } from '../../../model/resource.ts';
import type { Change } from '../../../store/change.ts';
import type { Mapping, MappingContext } from '../../mapping.ts';

/** Maximum number of calls of a mapping for one change. After that the change is dropped. */
const MAP_TRIES = 3;

/** Milliseconds between tries of an asynchronous mapping. A synchronous mapping is called again at once. */
const PAUSES_MS = [100, 1_000];

interface MappedKeysOptions {
  readonly map: Mapping['map'];
  readonly context: MappingContext;
  /** The resource of the keys, which is the resource that the controller reconciles. */
  readonly target: Resource;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * The keys for a change: the keys of the old object and of the new one, each key once. The result is a
 * promise only when the mapping returns a promise, or has failed.
 *
 * @throws OperatorError `USER_CODE`, by rejection, when the mapping has failed three times.
 * @throws `signal.reason` when aborted between two tries.
 */
export function mappedKeys(
  change: Change,
  options: MappedKeysOptions,
): ReadonlySet<ObjectKey> | Promise<ReadonlySet<ObjectKey>> {
  const { entry } = change;
  const entries = change.type === 'update' && change.old !== entry ? [change.old, entry] : [entry];
  const unreadable = (): Keys | Promise<Keys> =>
    change.type === 'delete' ? mapped(entry.nameAlone(), options, () => []) : [];
  const answers = entries.map((one) => mapped(one, options, unreadable));
  return answers.some((answer) => answer instanceof Promise)
    ? Promise.all(answers).then((all) => new Set(all.flat()))
    : new Set((answers as Keys[]).flat());
}

type Keys = readonly ObjectKey[];

/**
 * Calls the mapping for one object. If a synchronous mapping throws, it is called again at once. If an
 * asynchronous mapping fails, it is called again after a pause.
 *
 * @param unreadable - called if the object cannot be parsed. It returns the keys to use. The source of the
 *   object reports the object again when it can be parsed, but does not repeat a delete.
 */
function mapped(
  entry: Entry,
  options: MappedKeysOptions,
  unreadable: () => Keys | Promise<Keys>,
): Keys | Promise<Keys> {
  for (let failures = 0; ; ) {
    try {
      const answer = options.map(entry.lazy(), options.context);
      return answer instanceof Promise
        ? mappedLater(entry, answer, { ...options, unreadable }, failures)
        : checkedKeys(answer, options.target);
    } catch (error) {
      if (entry.isUnreadable) return unreadable();
      if (++failures >= MAP_TRIES) return Promise.reject(mappingFailed(error));
    }
  }
}

async function mappedLater(
  entry: Entry,
  first: ReturnType<Mapping['map']>,
  options: MappedKeysOptions & { readonly unreadable: () => Keys | Promise<Keys> },
  failuresBefore: number,
): Promise<Keys> {
  const { map, context, target, clock, signal, unreadable } = options;
  let answer = first;
  for (let failures = failuresBefore; ; ) {
    try {
      return checkedKeys(await answer, target);
    } catch (error) {
      if (entry.isUnreadable) return unreadable();
      if (++failures >= MAP_TRIES) throw mappingFailed(error);
    }
    await sleep(clock, PAUSES_MS[failures - 1] ?? 0, signal);
    answer = Promise.resolve().then(() => map(entry.lazy(), context)); // may throw synchronously
  }
}

/**
 * The keys in a mapping's result. They are checked, because a mapping in JavaScript may return anything. Keys
 * and names of a namespaced resource must contain a namespace.
 */
function checkedKeys(answer: unknown, { namespaced }: Resource): Keys {
  const given = isList(answer) ? [...answer] : undefined;
  const keys = given?.filter(isKeyOrName).map(keyFrom);
  const isKey = (key: ObjectKey): boolean => key.includes('/') === namespaced;
  if (keys?.length === given?.length && keys?.every(isKey)) return keys;
  throw new OperatorError(
    `a mapping must return names or keys, such as [{ ${namespaced ? 'namespace, name' : 'name'} }]`,
    {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { returned: given?.map(shown).join(',').slice(0, 200) ?? notAList(answer) },
    },
  );
}

function isList(answer: unknown): answer is Iterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.iterator in answer;
}

/** Describes what a mapping has returned instead of a list, without the contents. */
function notAList(answer: unknown): string {
  if (answer === undefined || answer === null) return String(answer);
  return typeof answer === 'object' ? 'an object, not in a list' : `a ${typeof answer}`;
}

function isKeyOrName(given: unknown): given is ObjectKey | Target {
  return typeof given === 'string' || typeof nameIn(given) === 'string';
}

/** Describes what a mapping has returned: its name, and no other data of the object. */
function shown(given: unknown): string {
  if (typeof given === 'object' && given !== null) return `{ name: ${String(nameIn(given))} }`;
  return String(given);
}

function nameIn(given: unknown): unknown {
  return (given as { readonly name?: unknown } | null | undefined)?.name;
}

function mappingFailed(cause: unknown): OperatorError {
  return new OperatorError('mapping failed', { code: 'USER_CODE', layer: 'user-code', cause });
}

/**
 * The keys of the owners in `metadata` that are objects of the resource `owner`.
 *
 * Group and kind are compared, but not the version: an owner keeps its identity when its API version
 * changes. As in the API, a namespaced owner is in the child's namespace, and a cluster-scoped child has no
 * namespaced owner.
 *
 * @param anyOwner - if false, only the owner that is marked as `controller` is returned.
 */
export function ownerKeys(
  metadata: ObjectMeta,
  owner: Resource,
  anyOwner: boolean,
): readonly ObjectKey[] {
  return owners(metadata, owner, anyOwner).map(({ key }) => key);
}

/** Like `ownerKeys`, with the uid of each owner. */
export function owners(
  metadata: ObjectMeta,
  owner: Resource,
  anyOwner: boolean,
): readonly { readonly key: ObjectKey; readonly uid: string }[] {
  const { namespace } = metadata;
  if (owner.namespaced && namespace === undefined) return [];
  return ownersIn(metadata)
    .filter(({ controller }) => anyOwner || controller === true)
    .filter(({ kind, apiVersion }) => kind === owner.kind && groupOf(apiVersion) === owner.group)
    .map(({ name, uid }) => ({
      key: objectKey(owner.namespaced ? namespace : undefined, name),
      uid,
    }));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Maximum number of objects that an asynchronous mapping maps concurrently. */
const SIDE_BY_SIDE = 16;

/**
 * Maps items in order and calls `take` with each result. Once a result is a promise, items with different
 * keys are mapped concurrently. Items with the same key never are, so their results stay in order.
 *
 * @returns a promise if a result had to be awaited; it never rejects.
 */
export function mapInOrder<I extends { readonly key: ObjectKey }, R>(
  items: readonly I[],
  map: (item: I) => R | Promise<R>,
  take: (item: I, answer: R) => void,
  failed: (item: I, error: unknown) => void,
): void | Promise<void> {
  for (const [index, item] of items.entries()) {
    const answer = map(item);
    if (!(answer instanceof Promise)) {
      take(item, answer);
      continue;
    }
    const first = { item, answer };
    return sideBySide(first, items.slice(index + 1), map, take, failed);
  }
}

async function sideBySide<I extends { readonly key: ObjectKey }, R>(
  first: { readonly item: I; readonly answer: Promise<R> },
  rest: readonly I[],
  map: (item: I) => R | Promise<R>,
  take: (item: I, answer: R) => void,
  failed: (item: I, error: unknown) => void,
): Promise<void> {
  const byKey = Map.groupBy([first.item, ...rest], ({ key }) => key);
  const lines = byKey.values();
  const work = async (): Promise<void> => {
    for (const line of lines) {
      for (const item of line) {
        try {
          take(item, await (item === first.item ? first.answer : map(item)));
        } catch (error) {
          failed(item, error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, byKey.size) }, work));
}
