import type { Clock } from '../core/clock.ts';
import { ProtocolError } from '../core/errors.ts';
import { Entry } from '../model/entry.ts';
import { type KubernetesObject, objectKey } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { parsedAs } from '../stream/decode.ts';
import { type EntryOptions, entryOfBytes, isFormless } from '../stream/entry-of-bytes.ts';
import { type ReadItemsOptions, readItems } from '../stream/list-items.ts';
import { isAt, type ScannedIdentity, type Span } from '../stream/scan-identity.ts';
import type { TransportResponse } from '../transport/transport.ts';
import type { ListPageRequest } from '../watch/list-watch.ts';
import { type JsonObject, parseAnswer, type ReadAnswerOptions, requireSuccess } from './answer.ts';
import {
  decodeFrame,
  decodeItem,
  decodeList,
  formOf,
  type ListFrame,
  type ObjectForm,
  unexpected,
} from './list-answer.ts';

export interface ReadListOptions<T extends KubernetesObject>
  extends Pick<ReadAnswerOptions, 'asked'>,
    Pick<ListPageRequest<T>, 'dropManagedFields' | 'known'> {
  readonly resource: Resource<T>;
  /**
   * The `apiVersion` and `kind` that the server sends in the items. Default: the `apiVersion` and `kind` of
   * the resource. The returned items always have the `apiVersion` and `kind` of the resource.
   */
  readonly expected?: ObjectForm;
}

/** A checked list. */
export interface DecodedEntries<T extends KubernetesObject> extends ListFrame {
  readonly items: readonly Entry<T>[];
  /** Size of the items in bytes, as JSON in the answer. */
  readonly itemBytes: number;
}

/**
 * Reads a list item by item as it arrives. An item is not parsed if it looks exactly as kube-apiserver writes
 * items. The size of the answer is not limited, but the size of each item is; see `readItems`. If an item is
 * invalid, the answer is nevertheless read to its end.
 *
 * @throws the same errors as `decodeFrame`, `decodeItem` and `readItems`; ApiError and AmbassadorError for a
 *   failure.
 */
export async function readList<T extends KubernetesObject>(
  response: TransportResponse,
  clock: Clock,
  options: ReadListOptions<T>,
): Promise<DecodedEntries<T>> {
  const { asked } = options;
  await requireSuccess(response, clock, asked);
  const items = new ListItems(options);
  const frame = await readItems(response.body, {
    onItems: () => items.clear(),
    onItem: (...item) => items.add(...item),
  });
  return items.of(parseAnswer(frame, response, clock, { asked }));
}

/** The items of one answer. The `kind` of the list may come after its items. */
class ListItems<T extends KubernetesObject> {
  readonly #resource: Resource<T>;
  /** The `apiVersion` and `kind` of the items as the server sends them. */
  readonly #expected: ObjectForm;
  /** The options for items that have another `apiVersion` and `kind` than the resource, or none. */
  readonly #given: EntryOptions;
  /** The options for items that have the `apiVersion` and `kind` of the resource. */
  readonly #kept: EntryOptions;
  readonly #known: ReadListOptions<T>['known'];
  #items: Entry<T>[] = [];
  /** True if an item has no kind. The kind of the items must then follow from the kind of the list. */
  #isFormless = false;
  /**
   * The error about the first invalid item. It is dropped if the answer contains a later array `items`, which
   * replaces this one.
   */
  #failure: { readonly error: unknown } | undefined;
  #bytes = 0;

  constructor({ resource, expected, known, dropManagedFields }: ReadListOptions<T>) {
    const form = formOf(resource);
    this.#resource = resource;
    this.#expected = expected ?? form;
    this.#given = { dropManagedFields, form };
    this.#kept = expected === undefined ? { dropManagedFields } : this.#given;
    this.#known = known;
  }

  /**
   * Removes the items that were read, because the answer contains another array `items`, which replaces them.
   */
  clear(): void {
    this.#items = [];
    this.#bytes = 0;
    this.#isFormless = false;
    this.#failure = undefined;
  }

  add(...item: Parameters<ReadItemsOptions['onItem']>): void {
    if (this.#failure !== undefined) return;
    try {
      this.#items.push(this.#entry(...item));
    } catch (error) {
      this.#failure = { error };
      this.#items = [];
    }
  }

  /** @param frame - the list without its items. */
  of(frame: JsonObject): DecodedEntries<T> {
    const { items, kind } = frame;
    // If `items` is not an array, the answer is not a list, or `items` is null.
    if (!Array.isArray(items) || items.length > 0) {
      const { items: parsed, ...rest } = decodeList<T>(frame, this.#resource, this.#expected);
      const entries = parsed.map((item) => Entry.of(parsedAs(item, this.#given)));
      return { ...rest, items: entries, itemBytes: this.#bytes };
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#isFormless && kind !== `${this.#expected.kind}List`) {
      throw unexpected(this.#resource, this.#expected, { apiVersion: this.#expected.apiVersion });
    }
    const decoded = decodeFrame(frame, this.#resource, this.#expected);
    return { ...decoded, items: this.#items, itemBytes: this.#bytes };
  }

  #entry(bytes: Buffer, from: number, to: number, found: ScannedIdentity | undefined): Entry<T> {
    this.#bytes += to - from;
    if (found === undefined) return this.#parsed(bytes.toString('utf8', from, to));
    const known = this.#knownAs(bytes, found);
    if (known !== undefined) return known;
    const formless = isFormless(found);
    if (formless) this.#isFormless = true;
    else this.#requireForm(found);
    const options = formless ? this.#given : this.#kept;
    return (
      entryOfBytes<T>({ bytes, from, to }, found, options, true) ??
      this.#parsed(bytes.toString('utf8', from, to))
    );
  }

  /** The cached entry with the same key, if it has the same state. */
  #knownAs(bytes: Buffer, found: ScannedIdentity): Entry<T> | undefined {
    if (this.#known === undefined) return undefined;
    const namespace = found.namespace === '' ? undefined : found.namespace;
    const name = bytes.toString('latin1', found.name.from, found.name.to);
    const known = this.#known(objectKey(namespace, name));
    if (known === undefined || known.isUnreadable) return undefined;
    const isSame =
      isText(bytes, found.uid, known.uid) &&
      isText(bytes, found.resourceVersion, known.resourceVersion);
    return isSame ? known : undefined;
  }

  #requireForm({ apiVersion, kind }: ScannedIdentity): void {
    if (apiVersion === this.#expected.apiVersion && kind === this.#expected.kind) return;
    throw unexpected(this.#resource, this.#expected, { apiVersion, kind });
  }

  #parsed(text: string): Entry<T> {
    let item: unknown;
    try {
      item = JSON.parse(text);
    } catch {
      throw new ProtocolError('the answer is not complete JSON', {
        code: 'DECODE',
        context: { resource: resourceName(this.#resource), itemBytes: Buffer.byteLength(text) },
      });
    }
    // A kind that is null counts as missing, as in `decodeItem`.
    if (((item as { readonly kind?: unknown }).kind ?? null) === null) this.#isFormless = true;
    const object = decodeItem<T>(item, this.#resource, this.#expected, true);
    return Entry.of(parsedAs(object, this.#given));
  }
}

function isText(bytes: Buffer, { from, to }: Readonly<Span>, text: string): boolean {
  return to - from === text.length && isAt(bytes, from, to, text);
}
