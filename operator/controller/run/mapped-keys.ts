import { type Clock, sleep } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import type { Entry } from '../../model/entry.ts';
import { type ObjectKey, type ObjectMeta, objectKey, ownersIn } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Change } from '../../store/change.ts';
import type { Mapping, MappingContext } from '../controller.ts';

/** A mapping is called so often for one change, then the change is dropped. */
const MAP_TRIES = 3;

/** Before a mapping that looked something up looks again. One that waits for nothing has no pause. */
const PAUSES_MS = [100, 1_000];

interface MappedKeysOptions {
  readonly map: Mapping['map'];
  readonly context: MappingContext;
  /** Of the keys: what the controller reconciles. */
  readonly target: Resource;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * The keys that a change concerns: those of the old object and of the new, each once. A promise only
 * when the mapping answers with one, or has failed.
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
 * Tries a mapping that waits for nothing again at once, and any other after a pause.
 *
 * @param unreadable - the answer for an object that turned out to be unreadable: its source tells of it
 *   again when it can be read, but of a delete it does not.
 */
function mapped(
  entry: Entry,
  options: MappedKeysOptions,
  unreadable: () => Keys | Promise<Keys>,
): Keys | Promise<Keys> {
  for (let failures = 0; ; ) {
    try {
      const answer = options.map(entry, options.context);
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
    answer = Promise.resolve().then(() => map(entry, context)); // it may throw before it returns a promise
  }
}

/** A mapping in JavaScript may return anything; of a namespaced resource a key names its namespace. */
function checkedKeys(answer: Iterable<ObjectKey>, { namespaced }: Resource): Keys {
  const keys = typeof answer === 'string' ? undefined : [...answer];
  const isKey = (key: unknown): boolean =>
    typeof key === 'string' && key.includes('/') === namespaced;
  if (keys?.every(isKey)) return keys;
  throw new OperatorError(
    `a mapping must return keys, such as [objectKey(${namespaced ? 'namespace' : 'undefined'}, name)]`,
    {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { returned: keys?.map(String).join(',').slice(0, 200) ?? 'a string' },
    },
  );
}

function mappingFailed(cause: unknown): OperatorError {
  return new OperatorError('mapping failed', { code: 'USER_CODE', layer: 'user-code', cause });
}

/**
 * The keys of the owners that `child` names and that are objects of `owner`.
 *
 * Group and kind are compared, the version is not: an owner keeps its identity when its API version
 * changes. A namespaced owner is in the child's namespace, as the API has it; a cluster-scoped child
 * cannot have one.
 *
 * @param anyOwner - false: only the owner that is marked as `controller`.
 */
export function ownerKeys(
  metadata: ObjectMeta,
  owner: Resource,
  anyOwner: boolean,
): readonly ObjectKey[] {
  const { namespace } = metadata;
  if (owner.namespaced && namespace === undefined) return [];
  return ownersIn(metadata)
    .filter(({ controller }) => anyOwner || controller === true)
    .filter(({ kind, apiVersion }) => kind === owner.kind && groupOf(apiVersion) === owner.group)
    .map(({ name }) => objectKey(owner.namespaced ? namespace : undefined, name));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Objects that are mapped side by side, when a mapping looks something up. */
const SIDE_BY_SIDE = 16;

/**
 * Maps items one after the other, and calls `take` with each answer. From the first answer that is a
 * promise on, items of different keys are mapped side by side; those of one key never are, so that their
 * answers come in their order.
 *
 * @returns a promise when one was waited for; it never rejects.
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
