import type { Client } from '../../client/client.ts';
import { isVersionConflict } from '../../model/conflict.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { isNotFound } from '../../model/status.ts';

/** How often another writer may be faster before the attempt fails; client-go's number. */
const MAX_ATTEMPTS = 5;

/** What is in an entry of `metadata.managedFields`: whose it is, and the fields. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

interface FieldOwners {
  /** Whose the fields are to be. */
  readonly fieldManager: string;
  /** Other managers whose fields become its own. */
  readonly formerManagers?: readonly string[];
}

/**
 * The name under which a child of `fieldManager` is created, so that what the creation has stated can
 * be told from what the same controller writes later, by a patch, on purpose. No controller has a `/`
 * in its name.
 */
export function creatorOf(fieldManager: string): string {
  return `${fieldManager}/create`;
}

/**
 * Makes the fields that `fieldManager` owns by having created `object` ones that it owns by applying,
 * and so those of former managers.
 *
 * Creating and applying count as two owners, even of one manager. A field that was there from the
 * creation would stay for ever, whatever is applied later, because its creator still wants it; and
 * where the items of a list are told apart by what has changed, as ports are by their numbers, the old
 * item would stay beside the new one, or the server refuse both.
 *
 * @param object - as the server has it, with its managedFields.
 * @returns true when it has changed something; false also when the object is gone.
 * @throws ApiError as the server refuses; `isVersionConflict` when others were faster all the time.
 */
export async function ownByApplying<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  object: T,
  owners: FieldOwners,
): Promise<boolean> {
  const { name, namespace, uid } = object.metadata;
  let seen: T = object;
  for (let attempt = 1; ; attempt += 1) {
    const managedFields = handedOver(seen, owners);
    if (managedFields === undefined) return false;
    const body = [
      { op: 'replace', path: '/metadata/resourceVersion', value: seen.metadata.resourceVersion },
      { op: 'replace', path: '/metadata/managedFields', value: managedFields },
    ] as const;
    try {
      await client.patch(resource, { name, namespace }, { type: 'json', body });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isVersionConflict(error) || attempt >= MAX_ATTEMPTS) throw error;
    }
    const live: T | undefined = await client.find(resource, { name, namespace });
    if (live === undefined || live.metadata.uid !== uid) return false;
    seen = live;
  }
}

/** The managedFields of `object` once all is `fieldManager`'s; undefined when it is so already. */
function handedOver(
  { metadata }: KubernetesObject,
  { fieldManager, formerManagers = [] }: FieldOwners,
): readonly ManagedFields[] | undefined {
  const entries = (metadata.managedFields ?? []) as readonly ManagedFields[];
  const whole = entries.filter(({ subresource = '' }) => subresource === '');
  const own = whole.find((each) => each.manager === fieldManager && each.operation === 'Apply');
  const managers = [creatorOf(fieldManager), ...formerManagers];
  const given = whole.filter(
    (each) =>
      each !== own &&
      (managers.includes(each.manager ?? '') ||
        (each.manager === fieldManager && isCreation(each, metadata.creationTimestamp))),
  );
  const last = given.at(-1);
  if (last === undefined) return undefined;
  const heir = own ?? { ...last, manager: fieldManager, operation: 'Apply' };
  // Fields of another version of the API may have other names: who states them owns them again.
  const fieldsV1 = given
    .filter(({ apiVersion }) => apiVersion === heir.apiVersion)
    .reduce((all, each) => union(all, each.fieldsV1 ?? {}), heir.fieldsV1 ?? {});
  const rest = entries.filter((each) => each !== own && !given.includes(each));
  return [{ ...heir, fieldsV1 }, ...rest];
}

/**
 * True for what a creation has left by the manager's plain name, as a `client.create` does, if nothing
 * was updated since. The server notes the time of an entry before webhooks are asked, and that of the
 * creation after them.
 */
function isCreation({ operation, time }: ManagedFields, creationTimestamp?: string): boolean {
  if (operation !== 'Update' || time === undefined || creationTimestamp === undefined) return false;
  return Date.parse(time) <= Date.parse(creationTimestamp);
}

/** Both sets of fields: sets are nested objects, whose leaves are empty. */
function union(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const both: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    both[key] = union((both[key] ?? {}) as typeof both, (value ?? {}) as typeof both);
  }
  return both;
}
