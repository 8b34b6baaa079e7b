import type { Client } from '../../client/client.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { statusOf } from '../object-shape/condition-list.ts';
import { digestOf, shownFields } from './applied-memory.ts';
import { patchThis } from './guarded-writes.ts';
import { differingPaths, mergePatchOf } from './json-difference.ts';
import { sendStatus } from './send-status.ts';

/** Number of remembered objects whose status the server does not store as written. */
const MAX_OBJECTS = 10_000;

/** What the server has stored after a status was written. */
interface Stored {
  readonly wantedDigest: string;
  readonly storedDigest: string;
  /** The fields of the last `base` that the server did not store. */
  readonly incomplete: Incomplete | undefined;
}

interface Incomplete {
  readonly baseDigest: string;
  readonly missing: readonly string[];
}

/** The outcome of a status write. */
export interface StatusOutcome {
  /** The object after the write; undefined when there was nothing to write, or when the object is gone. */
  readonly written: KubernetesObject | undefined;
  /**
   * Fields of the written status that the server does not store, because the definition does not declare
   * them.
   */
  readonly missing: readonly string[];
}

/**
 * Writes whole statuses. A field that the new status does not contain is removed, regardless of its writer.
 */
export class StatusReplacer {
  readonly #maxTries: number | undefined;
  readonly #stored = new Map<string, Stored>();

  /**
   * @param maxTries - the number of tries while other writers change the object. With 1, the first conflict
   * is thrown as an error.
   */
  constructor({ maxTries }: { readonly maxTries?: number } = {}) {
    this.#maxTries = maxTries;
  }

  /** True when a call of `replace` would write something. */
  differs(object: KubernetesObject, wanted: Mapping): boolean {
    const stated = withoutNulls(wanted);
    const shown = withoutNulls(statusOf(object));
    if (mergePatchOf(shown, stated) === undefined) return false;
    const known = this.#stored.get(object.metadata.uid ?? '');
    const isStored =
      known?.wantedDigest === digestOf(stated) && known.storedDigest === digestOf(shown);
    return !isStored;
  }

  /**
   * Fields of `base` that the server did not store in the last write. The result is empty for another `base`.
   */
  missingOf(object: KubernetesObject, base: Mapping): readonly string[] {
    const known = this.#stored.get(object.metadata.uid ?? '')?.incomplete;
    return known?.baseDigest === digestOf(withoutNulls(base)) ? known.missing : [];
  }

  /**
   * @param base - the part of `wanted` that the caller later passes to `missingOf`, which returns the fields
   * that were not stored.
   * @throws NoStatusSubresourceError when the definition does not declare the status subresource.
   * @throws ApiError when the server refuses.
   */
  async replace(
    client: Client,
    resource: Resource,
    object: KubernetesObject,
    wanted: Mapping,
    base?: Mapping,
  ): Promise<StatusOutcome> {
    const stated = withoutNulls(wanted);
    const send = async (current: KubernetesObject): Promise<StatusOutcome | undefined> => {
      if (!this.differs(current, stated)) return undefined;
      const status = mergePatchOf(statusOf(current), stated) ?? {};
      const subresource = 'status';
      const written = await patchThis(client, resource, current, { status }, { subresource });
      return { written, missing: this.#note(written, stated, base) };
    };
    return (await sendStatus({ client, resource, object }, send, this.#maxTries)) ?? NOTHING;
  }

  #note(written: KubernetesObject, wanted: Mapping, base: Mapping | undefined): readonly string[] {
    const { uid = '' } = written.metadata;
    const stored = withoutNulls(statusOf(written));
    const isAsWanted = mergePatchOf(stored, wanted) === undefined;
    const missing = isAsWanted
      ? []
      : differingPaths(shownFields(stored, wanted), wanted).map((path) => `status.${path}`);
    const before = this.#stored.get(uid)?.incomplete;
    const now = base && { baseDigest: digestOf(withoutNulls(base)), missing };
    const incomplete = base === undefined ? before : now;
    this.#stored.delete(uid);
    if (isAsWanted && (incomplete?.missing.length ?? 0) === 0) return missing;
    const digests = { wantedDigest: digestOf(wanted), storedDigest: digestOf(stored) };
    this.#stored.set(uid, { ...digests, incomplete });
    const [oldest] = this.#stored.keys();
    if (this.#stored.size > MAX_OBJECTS && oldest !== undefined) this.#stored.delete(oldest);
    return missing;
  }
}

const NOTHING: StatusOutcome = { written: undefined, missing: [] };

/**
 * Removes null members: a merge patch cannot set a field to null, and for the API server null equals absent.
 */
export function withoutNulls(map: Mapping): Mapping {
  const members = Object.entries(map)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => [key, isMapping(value) ? withoutNulls(value) : value]);
  return Object.fromEntries(members);
}
