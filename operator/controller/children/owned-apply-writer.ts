import { nodeCrypto } from '../../core/builtin-modules.ts';
import { deepJson } from '../../core/deep-json.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { AlreadyOwnedError } from '../../model/owner-reference.ts';
import type { Desired } from '../reconciler.ts';
import { showsAll } from './applied-memory.ts';
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

/** Annotation with the hash of the desired child, to compare it with what is wanted now. */
const CHILD_HASH: string = 'chancery.dev/child-hash';

type Hashed = { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };

/** `object` with its own hash as an annotation. */
export function withHash(object: Desired<KubernetesObject>): Desired<KubernetesObject> {
  const { annotations, ...metadata } = object.metadata;
  const hash = nodeCrypto()
    .createHash('sha256')
    .update(canonical(object))
    .digest('hex')
    .slice(0, 32);
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [CHILD_HASH]: hash } },
  };
}

/** The hash that an object carries. */
export function hashOf({ metadata }: Hashed): string | undefined {
  return metadata.annotations?.[CHILD_HASH];
}

/** JSON with sorted keys: equal content gives equal text. */
function canonical(value: unknown): string {
  return deepJson(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))
      : part,
  );
}
