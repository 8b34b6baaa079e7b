import { isMapping } from '../../core/mapping.ts';
import { visibleText } from '../../core/text/visible-text.ts';
import type { KubernetesObject } from '../../model/object.ts';

/** Maximum number of managers that a log line or an error contains. */
const MAX_MANAGERS = 3;

/** Maximum length of a manager's name: the API server allows 128 characters. */
const MAX_MANAGER_CHARS = 128;

/** One entry of `metadata.managedFields`. It comes from the server, and is not trusted to be complete. */
interface FieldsEntry {
  readonly manager: string;
  readonly operation: unknown;
  readonly subresource: unknown;
  readonly time: string;
  readonly fieldsV1: unknown;
}

/**
 * Returns the managers that have lost fields to a write. If `answer` is undefined, returns the managers that
 * wrote last before the write. The result is empty when no other manager has lost a field. In that case the
 * other writer uses the controller's name, or has removed fields and owns none.
 *
 * @param live - the object before the write, with its managedFields.
 * @param answer - the object after the write; undefined for a delete, and for a write that sets no field.
 * @param own - the names under which the controller writes. Their entries are ignored. Entries under such a
 *   name followed by `/` are ignored as well, because the controller creates children and writes statuses
 *   under such names.
 */
export function otherWriters(
  live: KubernetesObject,
  answer: KubernetesObject | undefined,
  own: readonly string[],
): readonly string[] {
  const before = entriesOf(live).filter(
    ({ manager }) => !own.some((name) => manager === name || manager.startsWith(`${name}/`)),
  );
  const after = answer === undefined ? [] : entriesOf(answer);
  const lost = before.filter((entry) => {
    const same = after.find((each) => isSameManager(each, entry));
    return answer !== undefined && hasLost(entry.fieldsV1, same?.fieldsV1);
  });
  const newest = before.reduce((latest, { time }) => (time > latest ? time : latest), '');
  const found = answer === undefined ? before.filter(({ time }) => time === newest) : lost;
  const names = found.map(({ manager }) => visibleText(manager).slice(0, MAX_MANAGER_CHARS));
  return [...new Set(names)].slice(0, MAX_MANAGERS);
}

/** The entries of managedFields. Those without a manager name are omitted. */
function entriesOf({ metadata }: KubernetesObject): readonly FieldsEntry[] {
  const entries: unknown = metadata.managedFields;
  if (!Array.isArray(entries)) return [];
  return entries.filter(isMapping).flatMap((entry) => {
    const { manager, operation, subresource, time, fieldsV1 } = entry;
    if (typeof manager !== 'string' || manager === '') return [];
    return [
      { manager, operation, subresource, time: typeof time === 'string' ? time : '', fieldsV1 },
    ];
  });
}

function isSameManager(a: FieldsEntry, b: FieldsEntry): boolean {
  return a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;
}

/**
 * True when the set `before` has a field that the set `after` lacks. A set consists of nested objects whose
 * leaves are empty.
 */
function hasLost(before: unknown, after: unknown): boolean {
  const waiting: [unknown, unknown][] = [[before, after]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [had, has] = next;
    if (!isMapping(had)) continue; // unreadable values show nothing
    for (const [name, inner] of Object.entries(had)) {
      if (!isMapping(has) || !Object.hasOwn(has, name)) return true;
      waiting.push([inner, has[name]]);
    }
  }
  return false;
}
