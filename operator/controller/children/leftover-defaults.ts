import type { Client } from '../../client/client.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { refusalOf } from '../../model/refusal.ts';
import type { Resource } from '../../model/resource.ts';
import { readLive } from './guarded-writes.ts';
import { entriesOf, handOver, type ManagedFields, mappingOf } from './own-by-applying.ts';

/**
 * The API server can refuse an apply because of a default that it has filled in itself: a field that the child does not
 * state and that no manager owns. This function makes `fieldManager` its owner. The next apply then removes the field,
 * because an apply removes the fields that its manager owns and no longer states. An example is `rollingUpdate` in the strategy of a Deployment that becomes `Recreate`:
 * the server would accept the creation of such a Deployment, but no apply.
 *
 * Fields inside of lists are left alone: no built-in kind has such a default there.
 *
 * @param error - of the apply.
 * @returns true when the apply should be sent again.
 */
export async function ownLeftoverDefaults<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  stated: T,
  error: unknown,
  fieldManager: string,
): Promise<boolean> {
  const refusal = refusalOf(error);
  if (refusal?.kind !== 'invalid') return false;
  const live = await readLive<T>(client, resource, stated);
  if (live === undefined) return false;
  const entries = entriesOf(live.metadata.managedFields);
  const own = entries.find(
    ({ manager, operation, subresource = '' }) =>
      manager === fieldManager && operation === 'Apply' && subresource === '',
  );
  if (own === undefined) return false;
  const owned = entries.map(({ fieldsV1 }) => fieldsV1);
  const leftovers = refusal.fields
    .filter((field) => !field.includes('['))
    .map((field) => field.split('.'))
    .filter((path) => at(live, path) !== undefined && at(stated, path) === undefined)
    .map((path) => path.map((part) => `f:${part}`))
    .filter((path) => owned.every((fields) => at(fields, path) === undefined));
  if (leftovers.length === 0) return false;
  const fieldsV1 = leftovers.reduce<Mapping>(withPath, mappingOf(own.fieldsV1));
  const managedFields = entries.map(
    (each): ManagedFields => (each === own ? { ...own, fieldsV1 } : each),
  );
  await handOver(client, resource, live, managedFields);
  return true;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce((part, name) => memberOf(part, name), value);
}

function memberOf(value: unknown, name: string): unknown {
  return isMapping(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function withPath(fields: Mapping, [name, ...rest]: readonly string[]): Mapping {
  if (name === undefined) return fields;
  return { ...fields, [name]: withPath(mappingOf(memberOf(fields, name)), rest) };
}
