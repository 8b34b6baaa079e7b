import { type Clock, sleep } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import type { Entry } from '../model/entry.ts';
import type { ObjectKey } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Change } from '../store/change.ts';
import type { Mapping, MappingContext } from './controller.ts';

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
