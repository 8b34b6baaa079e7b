import type { ApplyOptions, Client } from '../../client/client.ts';
import { deepCopy } from '../../core/json/deep-json.ts';
import { isMapping, type Mapping, mappingOf } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isInvalid, refusalOf } from '../../model/refusal.ts';
import type { Resource } from '../../model/resource.ts';
import { ApiError } from '../../model/status.ts';
import { digestOf } from './applied-memory.ts';
import { readLive } from './guarded-writes.ts';
import { memberOf } from './json-difference.ts';
import { entriesOf, handOver, type ManagedFields, withoutPaths } from './own-by-applying.ts';

type Options = ApplyOptions & { readonly fieldManager: string };

/**
 * Applies to an existing object. The API server can refuse the apply because of a default that the server
 * itself has set, although it would accept the creation of the object. There are two kinds of such defaults,
 * and this function handles both:
 *
 * - A default conflicts and must be removed. An example is `rollingUpdate` in the strategy of a Deployment
 *   that becomes `Recreate`. No manager owns the field, so this manager takes it over. The next apply then
 *   removes the field, because an apply removes the fields that its manager owns and that it no longer
 *   contains.
 * - A default must stay. The manager owns the field, because the creation has set it, so the apply would
 *   remove it. An example is `completions` of a Job, which cannot be changed. The manager gives the field up.
 *   If an earlier apply contained the field with a value other than the default, the next apply contains the
 *   default: the field `parallelism` of a Job becomes 1, because without it the server would set
 *   `completions`.
 *
 * Fields inside lists are not handled: no built-in kind has such a default there.
 *
 * @throws ApiError of the first apply when the refusal has another cause, or when handling the default does
 * not help.
 */
export async function applyPastDefaults<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  stated: T,
  options: Options,
): Promise<T> {
  const send = (object: T): Promise<T> => client.applyExisting(resource, object, options);
  try {
    return await send(stated);
  } catch (refused) {
    const refusal = refusalOf(refused);
    if (refusal?.kind !== 'invalid') throw refused;
    const live = await readLive<T>(client, resource, stated);
    const entries = entriesOf(live?.metadata.managedFields);
    const own = entries.find(
      ({ manager, operation, subresource = '' }) =>
        manager === options.fieldManager && operation === 'Apply' && subresource === '',
    );
    if (live === undefined || own === undefined) throw refused;
    const ownInstead = (fieldsV1: Mapping): Promise<void> => {
      const managedFields = entries.map((each) => (each === own ? { ...own, fieldsV1 } : each));
      return handOver(client, resource, live, managedFields);
    };
    const leftovers = leftoversIn(live, stated, entries, refusal.fields);
    if (leftovers.length > 0) {
      await ownInstead(leftovers.reduce<Mapping>(withPath, mappingOf(own.fieldsV1)));
      return send(stated);
    }
    const { kept, changed } = await defaultsOf(client, resource, { stated, live }, own.fieldsV1);
    if (kept.length + changed.length === 0) throw refused;
    if (kept.length > 0) await ownInstead(withoutPaths(mappingOf(own.fieldsV1), kept.map(asOwned)));
    return send(withValues(stated, changed)).catch((error: unknown) => {
      throw isInvalid(error) ? refused : error;
    });
  }
}

/**
 * The refused fields that the child does not contain and that no manager owns, in the notation of
 * managedFields.
 */
function leftoversIn(
  live: KubernetesObject,
  stated: KubernetesObject,
  entries: readonly ManagedFields[],
  refused: readonly string[],
): readonly Path[] {
  const owned = entries.map(({ fieldsV1 }) => fieldsV1);
  return refused
    .filter((field) => !field.includes('['))
    .map((field) => field.split('.'))
    .filter((path) => at(live, path) !== undefined && at(stated, path) === undefined)
    .map(asOwned)
    .filter((path) => owned.every((fields) => at(fields, path) === undefined));
}

type Path = readonly string[];

/** The path in the notation of managedFields. */
function asOwned(path: Path): Path {
  return path.map((name) => `f:${name}`);
}

interface Defaults {
  /** The fields that have their default as value. */
  readonly kept: readonly Path[];
  /** The fields that have a value other than their default, each with the default. */
  readonly changed: readonly (readonly [Path, unknown])[];
}

/**
 * The defaults of fields that the manager owns and that are no longer applied. They are read from the dry run
 * of a creation, under another name, because the name of the object is already used. Values that the apply
 * would change are omitted from this creation. For example, a Job was created without a `parallelism`, and
 * now gets one. Then it still has the default of `completions` for a Job without a `parallelism`.
 *
 * @returns no defaults when the server refuses the creation.
 */
async function defaultsOf<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  { stated, live }: { readonly stated: T; readonly live: T },
  owned: unknown,
): Promise<Defaults> {
  const absent = leavesOf(owned).filter((path) => at(stated, path) === undefined);
  if (absent.length === 0) return { kept: [], changed: [] };
  const { name, uid: _, ...metadata } = stated.metadata;
  const unchanged = withoutChanges(stated, live);
  const like = { ...unchanged, metadata: { ...metadata, generateName: `${name}-` } };
  const created = await client
    .create(resource, like as unknown as T, { dryRun: true })
    .catch((error: unknown) => {
      if (error instanceof ApiError) return undefined;
      throw error;
    });
  const known = absent.filter((path) => at(created, path) !== undefined);
  const isKept = (path: Path): boolean => digestOf(at(live, path)) === digestOf(at(created, path));
  const changed = known.filter((path) => !isKept(path));
  return { kept: known.filter(isKept), changed: changed.map((path) => [path, at(created, path)]) };
}

/** A copy of `stated` without the values that are different in `live`. Lists are kept. */
function withoutChanges<T extends KubernetesObject>(stated: T, live: T): T {
  const copy = deepCopy(stated);
  const waiting: [Record<string, unknown>, Mapping][] = [[copy as never, live as never]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [part, shown] = next;
    for (const [name, value] of Object.entries(part)) {
      const now = memberOf(shown, name);
      if (now === undefined || Array.isArray(value)) continue;
      if (isMapping(value) && isMapping(now)) waiting.push([value as never, now]);
      else if (value !== now) delete part[name];
    }
  }
  return copy;
}

/**
 * The paths of owned fields outside metadata and lists. Does not recurse, because objects may be nested
 * deeply.
 */
function leavesOf(owned: unknown): readonly Path[] {
  const leaves: Path[] = [];
  const waiting: { readonly fields: Mapping; readonly path: Path }[] = [
    { fields: mappingOf(owned), path: [] },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { fields, path } = next;
    const names = Object.keys(fields).filter((name) => name !== '.');
    if (names.length === 0 && path.length > 0) leaves.push(path);
    for (const name of names) {
      if (!name.startsWith('f:') || (path.length === 0 && name === 'f:metadata')) continue;
      waiting.push({ fields: mappingOf(fields[name]), path: [...path, name.slice(2)] });
    }
  }
  return leaves;
}

function withValues<T extends KubernetesObject>(stated: T, values: Defaults['changed']): T {
  const copy = deepCopy(stated);
  for (const [path, value] of values) {
    const holder = path.slice(0, -1).reduce<Record<string, unknown>>((part, name) => {
      const inner = isMapping(memberOf(part, name)) ? part[name] : {};
      part[name] = inner;
      return inner as Record<string, unknown>;
    }, copy as never);
    holder[path.at(-1) ?? ''] = value;
  }
  return copy;
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(memberOf, value);
}

function withPath(fields: Mapping, [name, ...rest]: Path): Mapping {
  if (name === undefined) return fields;
  return { ...fields, [name]: withPath(mappingOf(memberOf(fields, name)), rest) };
}
