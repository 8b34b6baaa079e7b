import type { Clock } from '../core/clock.ts';
import { ProtocolError } from '../core/errors.ts';
import { isUnreadable } from '../model/held-object.ts';
import { type KubernetesObject, objectKey } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import {
  type ByteRange,
  type HoldOptions,
  heldObject,
  isFormless,
  tailOf,
} from '../stream/held-object-text.ts';
import { type ReadItemsOptions, readItems } from '../stream/list-items.ts';
import { isAt, type ScannedIdentity, type Span } from '../stream/scan-identity.ts';
import type { TransportResponse } from '../transport/transport.ts';
import type { Hold } from '../watch/list-watch.ts';
import { type JsonObject, parseAnswer, type ReadAnswerOptions, requireSuccess } from './answer.ts';
import {
  type DecodedList,
  decodeFrame,
  decodeItem,
  decodeList,
  formOf,
  type ObjectForm,
  unexpected,
  withForm,
} from './list-answer.ts';

export interface HeldListOptions<T extends KubernetesObject>
  extends Pick<ReadAnswerOptions, 'asked'> {
  readonly resource: Resource<T>;
  readonly hold: Hold;
}

/**
 * As `readAnswer` and `decodeList`, item by item as the answer arrives: items are `HeldObject`s where
 * they are as kube-apiserver writes them, and parsed where they are not. There is no limit on the
 * answer, but one on each of its items; see `readItems`. An answer with a bad item is read to its end.
 */
export async function readHeldList<T extends KubernetesObject>(
  response: TransportResponse,
  clock: Clock,
  { asked, resource, hold }: HeldListOptions<T>,
): Promise<DecodedList<T>> {
  await requireSuccess(response, clock, asked);
  const items = new HeldItems(resource, hold);
  const frame = await readItems(response.body, {
    onItems: () => items.clear(),
    onItem: (...item) => items.add(...item),
  });
  const answer = parseAnswer(frame, response, clock, { asked });
  return items.of(answer);
}

/** The items of one answer, whose own kind may come behind them. */
class HeldItems<T extends KubernetesObject> {
  readonly #resource: Resource<T>;
  readonly #form: ObjectForm;
  readonly #hold: Hold;
  readonly #options: HoldOptions;
  #items: T[] = [];
  /** An item does not say what it is: then the list has to. */
  #isFormless = false;
  /** What is wrong with the first bad item. Other items may come in place of these. */
  #failure: { readonly error: unknown } | undefined;
  #bytes = 0;

  constructor(resource: Resource<T>, hold: Hold) {
    this.#resource = resource;
    this.#form = formOf(resource);
    this.#hold = hold;
    this.#options = { dropManagedFields: hold.dropManagedFields ?? false };
  }

  /** What was added before is not part of the list. */
  clear(): void {
    this.#items = [];
    this.#bytes = 0;
    this.#isFormless = false;
    this.#failure = undefined;
  }

  add(...item: Parameters<ReadItemsOptions['onItem']>): void {
    if (this.#failure !== undefined) return;
    try {
      this.#add(...item);
    } catch (error) {
      this.#failure = { error };
      this.#items = [];
    }
  }

  #add(bytes: Buffer, from: number, to: number, found: ScannedIdentity | undefined): void {
    this.#bytes += to - from;
    // Whoever held or knew it made it from the text of a T.
    if (found === undefined) this.#items.push(this.#parsed(bytes.toString('utf8', from, to)));
    else
      this.#items.push((this.#known(bytes, found) ?? this.#held({ bytes, from, to }, found)) as T);
  }

  /** @param frame - the list without its items. */
  of(frame: JsonObject): DecodedList<T> {
    const { items, kind } = frame;
    // An answer without an array of items is no list, or one whose items are null.
    if (!Array.isArray(items) || items.length > 0) return decodeList(frame, this.#resource);
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#isFormless && kind !== `${this.#form.kind}List`) {
      throw unexpected(this.#resource, this.#form, { apiVersion: this.#form.apiVersion });
    }
    const decoded = decodeFrame(frame, this.#resource, this.#form);
    return { items: this.#items, itemBytes: this.#bytes, ...decoded };
  }

  #known(bytes: Buffer, found: ScannedIdentity): KubernetesObject | undefined {
    const { known: knownUnder } = this.#hold;
    if (knownUnder === undefined) return undefined;
    const namespace = found.namespace === '' ? undefined : found.namespace;
    const name = bytes.toString('latin1', found.name.from, found.name.to);
    const known = knownUnder(objectKey(namespace, name));
    if (known === undefined || isUnreadable(known)) return undefined;
    const { uid = '', resourceVersion = '' } = known.metadata;
    const isSame =
      isText(bytes, found.uid, uid) && isText(bytes, found.resourceVersion, resourceVersion);
    return isSame ? known : undefined;
  }

  #held(range: ByteRange, found: ScannedIdentity): KubernetesObject {
    if (isFormless(found)) this.#isFormless = true;
    const object = heldObject(range, found, tailOf(range, found), this.#options, this.#form);
    const { apiVersion, kind } = object;
    if (apiVersion === this.#form.apiVersion && kind === this.#form.kind) return object;
    throw unexpected(this.#resource, this.#form, { apiVersion, kind });
  }

  #parsed(text: string): T {
    let item: unknown;
    try {
      item = JSON.parse(text);
    } catch {
      throw new ProtocolError('the answer is not complete JSON', {
        code: 'DECODE',
        context: { resource: resourceName(this.#resource), itemBytes: Buffer.byteLength(text) },
      });
    }
    // As `decodeItem` has it, null is none.
    if (((item as { readonly kind?: unknown }).kind ?? null) === null) this.#isFormless = true;
    return withForm(decodeItem<T>(item, this.#resource, this.#form, true), this.#form);
  }
}

function isText(bytes: Buffer, { from, to }: Readonly<Span>, text: string): boolean {
  return to - from === text.length && isAt(bytes, from, to, text);
}
