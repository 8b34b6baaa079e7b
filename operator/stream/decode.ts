import type { Readable } from 'node:stream';
import { ProtocolError } from '../core/errors.ts';
import { Entry, INITIAL_EVENTS_END, type WatchEvent } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import { ApiError, isStatus } from '../model/status.ts';
import { type EntryOptions, entryOfBytes, type Form } from './entry-of-bytes.ts';
import { DEFAULT_MAX_LINE_BYTES, ownedIterator, type ReadLinesOptions, tooLong } from './lines.ts';
import { isAt, type ScannedIdentity, scanIdentity } from './scan-identity.ts';

export interface DecodeOptions extends ReadLinesOptions, EntryOptions {
  /** Events about objects of another kind are left out. Default: every kind is accepted. */
  readonly expected?: Form | undefined;
  /** Called for every event that was left out. Must not throw. */
  readonly onSkipped?: (found: Form) => void;
}

/**
 * Bytes → watch events, a batch for each chunk. The one place where bytes of a watch become typed
 * values.
 *
 * Of a line as kube-apiserver writes it the identity of its object is read, and nothing is parsed; any
 * other line is. Events before a bad line of the same batch are yielded before the error is thrown, so
 * that a consumer has applied everything that arrived intact. Leaving the loop, or `return()` before it
 * began, destroys `body`.
 *
 * @throws ApiError for a wire `ERROR` event, e.g. 410 `Expired`.
 * @throws ProtocolError `DECODE` for a line that is not a watch event, for one that is too long, and for
 *   an `ERROR` that carries no Status. Its context names the length of the line, never its content. What
 *   is no JSON within an object and behind its metadata is found when the object is asked for.
 */
export function decodeEvents<T extends KubernetesObject>(
  body: Readable,
  options: DecodeOptions = {},
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  return ownedIterator(batchesOf<T>(body, options), () => body.destroy());
}

async function* batchesOf<T extends KubernetesObject>(
  body: Readable,
  options: DecodeOptions,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  const { maxLineBytes, onChunk } = options;
  const lines = new ByteLines(maxLineBytes);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    onChunk?.(chunk.length);
    const events: WatchEvent<T>[] = [];
    const failure = decodeChunk(lines, chunk, events, options);
    if (events.length > 0) yield events;
    if (failure !== undefined) throw failure.error;
  }
}

/** Adds the events of a chunk, up to the first line that is none. */
function decodeChunk<T extends KubernetesObject>(
  lines: ByteLines,
  chunk: Buffer,
  events: WatchEvent<T>[],
  options: DecodeOptions,
): { readonly error: unknown } | undefined {
  const isForeignTo = (found: UncheckedObject): boolean => isForeign(found, options);
  try {
    lines.read(chunk, (bytes, from, to) => {
      const scanned = scanEvent<T>(bytes, from, to, options, isForeignTo);
      if (scanned === 'foreign') return;
      const event = scanned ?? decodeLine<T>(bytes.toString('utf8', from, to), options);
      if (event !== undefined) events.push(event);
    });
  } catch (error) {
    return { error };
  }
  return undefined;
}

/** What a line may turn out to be before it is checked. */
interface Envelope {
  readonly type?: unknown;
  readonly object?: unknown;
}

interface UncheckedObject {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: {
    readonly name?: unknown;
    readonly resourceVersion?: unknown;
    readonly annotations?: Readonly<Record<string, unknown>>;
  } | null;
}

/**
 * The event of a line that is parsed; undefined for one to leave out.
 *
 * @throws ApiError and ProtocolError as `decodeEvents` does.
 */
export function decodeLine<T extends KubernetesObject>(
  line: string,
  options: DecodeOptions,
): WatchEvent<T> | undefined {
  const { type, object } = parseObject(line);
  if (type === 'ERROR') throw errorEvent(object, line);
  if (!isRecord(object)) throw undecodable('a watch event has no object', line);
  const subject: UncheckedObject = object;
  if (!isKnownType(type)) throw undecodable('a watch event has an unknown type', line);
  if (isForeign(subject, options)) return undefined;
  if (type === 'BOOKMARK') return bookmark(subject);
  const name = subject.metadata?.name;
  if (typeof name !== 'string' || name === '') {
    throw undecodable('the object of a watch event has no name', line);
  }
  // The options say that it is the text of a T.
  return { type, entry: Entry.of(parsedAs(object as unknown as T, options)) };
}

/** `object`, as `options` want it. */
export function parsedAs<T extends KubernetesObject>(
  object: T,
  { dropManagedFields = false, form }: EntryOptions,
): T {
  const drops = dropManagedFields && object.metadata.managedFields !== undefined;
  const isOfForm =
    form === undefined || (object.apiVersion === form.apiVersion && object.kind === form.kind);
  if (!drops && isOfForm) return object;
  const { managedFields, ...metadata } = object.metadata;
  return { ...form, ...object, ...form, ...(drops && { metadata }) };
}

function isKnownType(type: unknown): type is WatchEvent['type'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
}

function isForeign(
  object: Pick<UncheckedObject, 'apiVersion' | 'kind'>,
  { expected, onSkipped }: DecodeOptions,
): boolean {
  if (expected === undefined) return false;
  if (object.apiVersion === expected.apiVersion && object.kind === expected.kind) return false;
  onSkipped?.({ apiVersion: String(object.apiVersion), kind: String(object.kind) });
  return true;
}

function bookmark({ metadata }: UncheckedObject): WatchEvent<never> {
  const resourceVersion = metadata?.resourceVersion;
  return {
    type: 'BOOKMARK',
    resourceVersion:
      typeof resourceVersion === 'string' && resourceVersion !== '' ? resourceVersion : undefined,
    initialEventsEnd: metadata?.annotations?.[INITIAL_EVENTS_END] === 'true',
  };
}

function errorEvent(object: unknown, line: string): Error {
  if (isStatus(object)) return new ApiError(object);
  // Some aggregated API servers send a bare text.
  return undecodable('an ERROR event carries no Status', line, 'ERROR');
}

function parseObject(line: string): Envelope {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // No cause: the message of a SyntaxError quotes the text, which may be a Secret's.
    throw undecodable('a line of a watch is not JSON', line);
  }
  if (isRecord(value)) return value;
  throw undecodable('a line of a watch is not an object', line);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function undecodable(message: string, line: string, event?: string): ProtocolError {
  return new ProtocolError(message, {
    code: 'DECODE',
    context: { lineLength: line.length, ...(event === undefined ? {} : { event }) },
  });
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

/** Told of a line: `bytes` from `from` to `to`, without its terminator, good until it returns. */
type OnLine = (bytes: Buffer, from: number, to: number) => void;

/**
 * Chunks → lines, by the rules of `readLines`, but as bytes, and none of them copied that lies within a
 * chunk: for who makes no text of most of them.
 */
export class ByteLines {
  readonly #maxLineBytes: number;
  /** The start of a line whose end has not arrived, joined once it has. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(maxLineBytes: number = DEFAULT_MAX_LINE_BYTES) {
    this.#maxLineBytes = maxLineBytes;
  }

  /**
   * Tells of every line that ends in `chunk`, in order.
   *
   * @throws ProtocolError `DECODE` when a line outgrows the limit, behind those that end before; what
   *   `onLine` throws.
   */
  read(chunk: Buffer, onLine: OnLine): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#held.length === 0) tell(chunk, start, end, onLine);
      else this.#tellHeld(chunk.subarray(start, end), onLine);
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#maxLineBytes) throw tooLong(this.#heldBytes, this.#maxLineBytes);
  }

  #tellHeld(end: Buffer, onLine: OnLine): void {
    const line = Buffer.concat([...this.#held, end], this.#heldBytes + end.length);
    this.#held = [];
    this.#heldBytes = 0;
    tell(line, 0, line.length, onLine);
  }
}

/** An event begins with a brace: the rest of such a line is not looked at. */
function tell(bytes: Buffer, from: number, end: number, onLine: OnLine): void {
  const to = end > from && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  let first = from;
  while (first < to && isBlank(bytes[first])) first++;
  if (first < to) onLine(bytes, from, to);
}

/** What JSON takes for white space: a line of any other control character is none that is passed over. */
function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN;
}

/** An event about an object that was not parsed. */
interface ScannedEvent<T extends KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: Entry<T>;
}

const CLOSE_BRACE = 0x7d;
const TYPES = ['ADDED', 'MODIFIED', 'DELETED'] as const;
const BEFORE_TYPE = '{"type":"';

/** How a line of each type begins, by the first letter of the type. */
const BEGINNINGS = new Map(
  TYPES.map((type) => [type.charCodeAt(0), { type, text: `${BEFORE_TYPE}${type}","object":` }]),
);

/**
 * The event in `bytes` from `start` to `end`: one line without its terminator. `foreign` for an object
 * that `isForeign` does not let pass. Undefined for a line that is not as kube-apiserver writes it, and
 * for BOOKMARK and ERROR: such a line is to be parsed.
 *
 * Behind the metadata, only members that would say something else of the event or of its object are
 * looked for: of a member that comes twice the last counts. Whether the rest is JSON shows when the
 * object is asked for; see `Entry`. A line that could not be parsed cannot be read either, unless the
 * fault lies in managedFields that are left out.
 */
export function scanEvent<T extends KubernetesObject>(
  bytes: Buffer,
  start: number,
  end: number,
  options: EntryOptions = {},
  isForeign: (found: ScannedIdentity) => boolean = () => false,
): ScannedEvent<T> | 'foreign' | undefined {
  const beginning = BEGINNINGS.get(bytes[start + BEFORE_TYPE.length] ?? 0);
  if (beginning === undefined || !isAt(bytes, start, end, beginning.text)) return undefined;
  const from = start + beginning.text.length;
  // The last byte is the brace of the envelope; the one before it is to be the object's.
  const to = end - 1;
  if (bytes[to] !== CLOSE_BRACE || bytes[to - 1] !== CLOSE_BRACE) return undefined;
  const found = scanIdentity(bytes, from, to, true);
  if (found === undefined) return undefined;
  const entry = entryOfBytes<T>({ bytes, from, to }, found, options);
  if (entry === undefined) return undefined;
  return isForeign(found) ? 'foreign' : { type: beginning.type, entry };
}
