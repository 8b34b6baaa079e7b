import { apiVersionOf } from 'chancery/internal-objects';
import { type Json, withMetadata } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { recordUpdate } from '../patch/managers/record-update.ts';
import { fromStored, type ServedResource } from '../registry/served-resource.ts';
import type { WriteOptions } from '../request/options.ts';
import { canonical } from './canonical.ts';

/**
 * The managedFields of an object after a write other than apply, computed in the API version in which the
 * object was written.
 *
 * @param time - the time of the write, in RFC 3339 with whole seconds.
 */
export function ownersAfter(
  served: ServedResource,
  before: StoredObject | undefined,
  after: StoredObject,
  { manager, subresource = '' }: Pick<WriteOptions, 'manager' | 'subresource'>,
  time: string,
): readonly unknown[] {
  const entries = recordUpdate({
    before: before === undefined ? undefined : (fromStored(served, before) as Json),
    // The object as a client will read it. A map that a patch has emptied is therefore absent, but an empty
    // list of `managedFields` is kept.
    after: withoutOwnStatus(
      served,
      withMetadata(fromStored(served, canonical(served, after)), {
        managedFields: after.metadata.managedFields,
      }),
      before,
    ),
    manager,
    apiVersion: apiVersionOf(served),
    subresource,
    // A write through /scale is recorded without a time.
    time: subresource === 'scale' ? '' : time,
    schema: served.schema,
  });
  return entries.map((entry) => {
    const { time: at, ...timeless } = entry;
    return at === '' ? timeless : entry;
  });
}

/**
 * Removes the status of a new object if status is a subresource. The server itself has set this initial
 * status, so the status has no owner.
 */
function withoutOwnStatus(
  served: ServedResource,
  after: StoredObject,
  before: StoredObject | undefined,
): Json {
  const isOwn = served.subresources.some(({ name }) => name === 'status');
  if (before !== undefined || !isOwn) return after as Json;
  const { status: _, ...rest } = after as Json;
  return rest;
}
