import type { Client } from '../../client/client.ts';
import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isUidMismatch, isVersionConflict } from '../../model/refusal.ts';
import type { Resource } from '../../model/resource.ts';
import type { ApiError } from '../../model/status.ts';
import { NoStatusSubresourceError } from '../errors.ts';
import { digestOf } from './applied-memory.ts';
import {
  differingPaths,
  isMap,
  type JsonMap,
  mapOf,
  memberOf,
  mergePatchOf,
} from './json-difference.ts';

/** Number of tries while the object changes in between. */
const MAX_TRIES = 3;

/** Number of remembered objects whose status the server does not store as it is written. */
const MAX_OBJECTS = 10_000;

/** A status that the server has stored in another form. */
interface Rewritten {
  readonly wantedDigest: string;
  readonly storedDigest: string;
}

/** The outcome of a write of a status. */
export interface StatusOutcome {
  /** The object after the write; undefined when there was nothing to write, or the object is gone. */
  readonly written: KubernetesObject | undefined;
  /** Stated fields that the server does not store, because the definition does not declare them. */
  readonly missing: readonly string[];
}

/** Writes whole statuses: a field that is not stated is removed, whoever wrote it. */
export class StatusReplacer {
  readonly #maxTries: number;
  readonly #rewritten = new Map<string, Rewritten>();

  /** @param maxTries - with 1, a lost race is an error for the caller. */
  constructor({ maxTries = MAX_TRIES }: { readonly maxTries?: number } = {}) {
    this.#maxTries = maxTries;
  }

  /** True when `replace` would write. */
  differs(object: KubernetesObject, wanted: JsonMap): boolean {
    const stated = withoutNulls(wanted);
    const shown = withoutNulls(statusOf(object));
    if (mergePatchOf(shown, stated) === undefined) return false;
    const known = this.#rewritten.get(object.metadata.uid ?? '');
    const isStored =
      known?.wantedDigest === digestOf(stated) && known.storedDigest === digestOf(shown);
    return !isStored;
  }

  /**
   * @throws NoStatusSubresourceError when the definition does not declare the status subresource.
   * @throws ApiError when the server refuses.
   */
  async replace(
    client: Client,
    resource: Resource,
    object: KubernetesObject,
    wanted: JsonMap,
  ): Promise<StatusOutcome> {
    let current: KubernetesObject | undefined = object;
    for (let tries = 1; ; tries++) {
      if (current === undefined || current.metadata.uid !== object.metadata.uid) return NOTHING;
      if (!this.differs(current, wanted)) return NOTHING;
      try {
        const written = await write(client, resource, current, withoutNulls(wanted));
        return { written, missing: this.#note(written, withoutNulls(wanted)) };
      } catch (error) {
        if (isUidMismatch(error)) return NOTHING;
        if (
          isNotFound(error) &&
          (await isParentGone(client, resource, object, error as ApiError))
        ) {
          return NOTHING;
        }
        if (!isVersionConflict(error) || tries >= this.#maxTries) throw error;
      }
      const { name, namespace } = object.metadata;
      current = await client.find<KubernetesObject>(resource, { name, namespace });
    }
  }

  #note(written: KubernetesObject, wanted: JsonMap): readonly string[] {
    const { uid = '' } = written.metadata;
    this.#rewritten.delete(uid);
    const stored = withoutNulls(statusOf(written));
    if (mergePatchOf(stored, wanted) === undefined) return [];
    const missing = differingPaths(shownOf(stored, wanted), wanted).map((path) => `status.${path}`);
    const digests = { wantedDigest: digestOf(wanted), storedDigest: digestOf(stored) };
    this.#rewritten.set(uid, digests);
    const [oldest] = this.#rewritten.keys();
    if (this.#rewritten.size > MAX_OBJECTS && oldest !== undefined) this.#rewritten.delete(oldest);
    return missing;
  }
}

const NOTHING: StatusOutcome = { written: undefined, missing: [] };

function write(
  client: Client,
  resource: Resource,
  { metadata, ...object }: KubernetesObject,
  wanted: JsonMap,
): Promise<KubernetesObject> {
  const { uid, resourceVersion } = metadata;
  const before = statusOf({ metadata, ...object } as KubernetesObject);
  const status = mergePatchOf(before, wanted) ?? {};
  const body = { metadata: { uid, resourceVersion }, status };
  const options = { subresource: 'status' };
  return client.patch<KubernetesObject>(resource, metadata, { type: 'merge', body }, options);
}

async function isParentGone(
  client: Client,
  resource: Resource,
  { metadata: { name, namespace, uid } }: KubernetesObject,
  error: ApiError,
): Promise<boolean> {
  const live = await client.find(resource, { name, namespace });
  if (live === undefined || live.metadata.uid !== uid) return true;
  throw new NoStatusSubresourceError(resource, { cause: error });
}

function statusOf(object: KubernetesObject): JsonMap {
  const { status } = object as { readonly status?: unknown };
  return isMap(status) ? status : {};
}

/** The stored members of maps that `wanted` states, whole lists and values. */
function shownOf(stored: JsonMap, wanted: JsonMap): JsonMap {
  const members = Object.entries(wanted).map(([key, value]): [string, unknown] => {
    const known = memberOf(stored, key);
    return [key, isMap(value) && isMap(known) ? shownOf(known, value) : known];
  });
  return mapOf(new Map(members));
}

/** A merge patch cannot state null. For the API server it is the same as absent. */
export function withoutNulls(map: JsonMap): JsonMap {
  const members = Object.entries(map)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]): [string, unknown] => [key, isMap(value) ? withoutNulls(value) : value]);
  return mapOf(new Map(members));
}
