import type { Client } from '../client/client.ts';
import { isVersionConflict } from '../model/conflict.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';

/** The part of an entry of `metadata.managedFields` that says whose it is. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/**
 * Makes the fields that `fieldManager` owns by having created `object` ones that it owns by applying.
 *
 * Creating and applying count as two owners, even of one manager. A field that was there from the
 * creation would stay for ever, whatever is applied later, because its creator still wants it. Only
 * what the creation itself has left is touched: an entry that the manager has updated since may be on
 * purpose.
 *
 * @param object - as an apply was answered, with its managedFields.
 * @returns true when it has changed something, and the apply must be made again to take effect.
 */
export async function ownCreationByApplying<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  object: T,
  fieldManager: string,
): Promise<boolean> {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const entries = (object.metadata.managedFields ?? []) as readonly ManagedFields[];
  const isOurs = ({ manager, subresource = '' }: ManagedFields): boolean =>
    manager === fieldManager && subresource === '';
  const created = entries.find(
    (entry) => isOurs(entry) && entry.operation === 'Update' && entry.time === creationTimestamp,
  );
  const applied = entries.find((entry) => isOurs(entry) && entry.operation === 'Apply');
  if (created === undefined || applied === undefined) return false;

  const fieldsV1 = union(applied.fieldsV1 ?? {}, created.fieldsV1 ?? {});
  const managedFields = entries
    .filter((entry) => entry !== created)
    .map((entry) => (entry === applied ? { ...applied, fieldsV1 } : entry));
  const body = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'replace', path: '/metadata/managedFields', value: managedFields },
  ] as const;
  try {
    await client.patch(resource, { name, namespace }, { type: 'json', body });
    return true;
  } catch (error) {
    // Somebody was faster. The next apply sees the same again.
    if (isVersionConflict(error)) return false;
    throw error;
  }
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
