import type { KubernetesObject } from '../../model/object.ts';
import { AlreadyOwnedError } from '../../model/owner-reference.ts';
import { showsAll } from './applied-memory.ts';
import { hashOf, withHash } from './child-hash.ts';
import type { ChildWriter } from './child-writer.ts';

/**
 * Writes children by `ReconcileContext.applyOwned`. Children that are recreated or moved by a rolling update carry a
 * hash of what was wanted, because the server's form of a child cannot be compared with it.
 */
export function ownedApplyWriter(): ChildWriter {
  return {
    marked: withHash,
    async create(resource, desired, { context }) {
      try {
        return await context.applyOwned(resource, desired);
      } catch (error) {
        // The function of a composite does not know the options of applyOwned.
        const isUnowned = error instanceof AlreadyOwnedError && error.controller === undefined;
        throw isUnowned ? new AlreadyOwnedError(resource, desired as KubernetesObject) : error;
      }
    },
    async differs(_resource, desired, observed) {
      const hash = hashOf(desired);
      return hash === undefined ? !showsAll(observed, desired) : hash !== hashOf(observed);
    },
    async update(resource, desired, observed, { context }) {
      const after = await context.applyOwned(resource, desired);
      const isChanged = after.metadata.resourceVersion !== observed.metadata.resourceVersion;
      return isChanged ? after : undefined;
    },
  };
}
