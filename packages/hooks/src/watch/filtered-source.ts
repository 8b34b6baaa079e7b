import { createHash } from 'node:crypto';
import {
  type Clock,
  type KubernetesObject,
  type ObjectKey,
  type Resource,
  splitKey,
} from 'chancery';
import {
  apiVersionOf,
  Entry,
  type Labels,
  preparedSource,
  sortedJson,
  yieldToEventLoop,
} from 'chancery/internal';
import type { Jq, JqOutcome } from '../jq/jq.ts';
import type { BindingObject } from './binding-watch.ts';
import { readsOnlyMetadata } from './reads-only-metadata.ts';
import type { FilteredSource, MakeSource, Want } from './watch-plan.ts';

/**
 * A filter that failed for one object. jq's message is not included, because it may quote the
 * object.
 */
export interface FilterFailure {
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly filter: string;
  readonly failure: 'error' | 'limit';
}

export interface FilteredSourceOptions {
  readonly jq: Jq;
  readonly filterFailed: (failure: FilterFailure) => void;
  /**
   * Called for each binding with the filter, after the filter has processed a page, or changes that
   * arrived together.
   */
  readonly filterTook: (labels: Labels, seconds: number) => void;
  readonly clock: Clock;
}

/** The result of one filter for an object. */
interface Filtered {
  readonly text: string;
  readonly checksum: string;
}

/** An object as the cache keeps it: its identity, and the data that bindings need. */
interface ReducedObject extends KubernetesObject {
  /** The whole object as JSON with sorted keys. Undefined when no binding needs it. */
  readonly text: string | undefined;
  /** Checksum of the whole object. */
  readonly checksum: string;
  readonly filtered: Readonly<Record<string, Filtered>>;
}

/**
 * Number of objects that are processed in one turn of the event loop. 50 objects of 10 KiB take
 * about 5 ms.
 */
const OBJECTS_PER_TURN = 50;

/**
 * A source whose cache keeps the data that the given bindings need of each object: the results of
 * their filters, and the whole object only if a binding keeps full objects. A page of a list is
 * reduced before the next page is read.
 *
 * If a filter fails for an object, its result is `null`. The object and the results of other
 * filters are kept. Each state for which the filter fails counts as a change, so that no event is
 * lost.
 *
 * Only metadata is watched if no binding keeps full objects and no filter reads more.
 */
export function filteredSource(
  ...[resource, selection, wants, { jq, filterFailed, filterTook, clock }]: [
    ...Parameters<MakeSource>,
    FilteredSourceOptions,
  ]
): FilteredSource {
  const filters = [...new Set(wants.flatMap(({ filter }) => filter ?? []))];
  const keepsText = wants.some(({ keepsFullObjects }) => keepsFullObjects);
  return {
    source: preparedSource(
      resource,
      async (entries, signal) => {
        const texts = await sortedTexts(entries, signal);
        const groups = entries.map(({ key }) => groupOf(key));
        const results = new Map<string, readonly Filtered[]>();
        for (const filter of filters) {
          const beganAt = clock.monotonic();
          const outcomes = await jq.run(filter, texts, signal, groups);
          const seconds = (clock.monotonic() - beganAt) / 1_000;
          for (const want of wants) if (want.filter === filter) filterTook(want.labels, seconds);
          for (const [index, outcome] of outcomes.entries()) {
            const key = entries[index]?.key;
            if (!('failure' in outcome) || key === undefined) continue;
            filterFailed({ resource, key, filter, failure: outcome.failure });
          }
          results.set(
            filter,
            outcomes.map((outcome, index) => filteredBy(outcome, entries[index]?.resourceVersion)),
          );
        }
        return entries.map((entry, index) => {
          const text = texts[index] ?? '';
          const filtered = filters.flatMap((filter) => {
            const result = results.get(filter)?.[index];
            return result === undefined ? [] : [[filter, result] as const];
          });
          return Entry.of(reduced(entry, resource, { text, keepsText, filtered }));
        });
      },
      { ...selection, ...(wants.every(needsOnlyMetadata) && { metadataOnly: true }) },
    ),
    bindingObject: (entry, filter) => bindingObject(entry as Entry<ReducedObject>, filter),
  };
}

/**
 * The group of objects for which a filter is paused together. If a filter takes too long for an
 * object, the filter is paused only for the namespace of that object.
 */
function groupOf(key: ObjectKey): string {
  const { namespace, name } = splitKey(key);
  return namespace ?? `/${name}`;
}

/**
 * The objects as JSON with sorted keys. If an object is not JSON, the list fails, as it would
 * without filters.
 */
async function sortedTexts(
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index > 0 && index % OBJECTS_PER_TURN === 0) {
      await yieldToEventLoop();
      signal.throwIfAborted();
    }
    texts.push(sortedJson(entry.text ?? JSON.stringify(entry.object)));
  }
  return texts;
}

function needsOnlyMetadata({ filter, keepsFullObjects }: Want): boolean {
  return !keepsFullObjects && filter !== undefined && readsOnlyMetadata(filter);
}

/**
 * The result of a filter. As the contract says, it is `null` if there is no output, and an array if
 * there are several. It is also `null` for a failure.
 */
function filteredBy(outcome: JqOutcome, resourceVersion = ''): Filtered {
  if ('failure' in outcome) return { text: 'null', checksum: `failed at ${resourceVersion}` };
  const [first = 'null', ...others] = outcome.outputs;
  const text = others.length === 0 ? first : `[${outcome.outputs.join(',')}]`;
  return { text, checksum: checksumOf(text) };
}

interface ReducedParts {
  readonly text: string;
  readonly keepsText: boolean;
  readonly filtered: readonly (readonly [filter: string, result: Filtered])[];
}

function reduced(
  { key, uid, resourceVersion }: Entry,
  resource: Resource,
  { text, keepsText, filtered }: ReducedParts,
): ReducedObject {
  const { namespace, name } = splitKey(key);
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion },
    text: keepsText ? text : undefined,
    checksum: checksumOf(text),
    filtered: Object.fromEntries(filtered),
  };
}

function bindingObject(
  { key, object }: Entry<ReducedObject>,
  filter: string | undefined,
): BindingObject {
  const { text: objectText, checksum, filtered } = object;
  if (filter === undefined) return { key, objectText, filterText: undefined, checksum };
  const result = Object.hasOwn(filtered, filter) ? filtered[filter] : undefined;
  return {
    key,
    objectText,
    filterText: result?.text ?? 'null',
    checksum: result?.checksum ?? '',
  };
}

/**
 * A checksum of 128 bits. With a shorter checksum, two contents could have the same checksum, and a
 * change would be lost.
 */
function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 22);
}
