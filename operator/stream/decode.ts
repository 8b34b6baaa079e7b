import type { Readable } from 'node:stream';
import { ProtocolError } from '../core/errors.ts';
import { isMapping } from '../core/mapping.ts';
import { Entry, INITIAL_EVENTS_END, type WatchEvent } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import { ApiError, isStatus } from '../model/status.ts';
import { type EntryOptions, entryOfBytes, type Form } from './entry-of-bytes.ts';
import { DEFAULT_MAX_LINE_BYTES, ownedIterator, type ReadLinesOptions, tooLong } from './lines.ts';
import { isAt, type ScannedIdentity, scanIdentity } from './scan-identity.ts';

export interface DecodeOptions extends ReadLinesOptions, EntryOptions {
  /** If set, events about objects of any other kind are omitted. Default: every kind is accepted. */
  readonly expected?: Form | undefined;
  /** Called for every omitted event. Must not throw. */
  readonly onSkipped?: (found: Form) => void;
}

/**
 * Decodes the bytes of a watch into events. Each chunk results in one batch of events. Only this module
 * converts the bytes of a watch into typed values.
 *
 * If a line looks exactly as kube-apiserver writes lines, it is not parsed, and only the identity of the
 * object is read. Any other line is parsed. Events that precede an invalid line in the same chunk are yielded
 * before the error is thrown, so that the consumer gets everything that arrived intact. When the reader
 * leaves its loop, or calls `return()` before the loop begins, `body` is destroyed.
 *
 * @throws ApiError for an `ERROR` event, e.g. 410 `Expired`.
 * @throws ProtocolError `DECODE` for a line that is not a watch event or is too long, and for an `ERROR`
 *   without a Status. Its context contains the length of the line, never its content. Invalid JSON after the
 *   metadata of an object is found only when the object is read.
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

/** Decodes the events of a chunk, up to the first invalid line, and adds them to `events`. */
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

/** A parsed line before it is checked. */
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
 * Parses a line into its event. Undefined when the event must be omitted.
 *
 * @throws ApiError and ProtocolError in the same cases as `decodeEvents`.
 */
export function decodeLine<T extends KubernetesObject>(
  line: string,
  options: DecodeOptions,
): WatchEvent<T> | undefined {
  const { type, object } = parseObject(line);
  if (type === 'ERROR') throw errorEvent(object, line);
  if (!isMapping(object)) throw undecodable('a watch event has no object', line);
  const subject: UncheckedObject = object;
  if (!isKnownType(type)) throw undecodable('a watch event has an unknown type', line);
  if (isForeign(subject, options)) return undefined;
  if (type === 'BOOKMARK') return bookmark(subject);
  const name = subject.metadata?.name;
  if (typeof name !== 'string' || name === '') {
    throw undecodable('the object of a watch event has no name', line);
  }
  // The cast is safe, because the caller chose T for this resource.
  return { type, entry: Entry.of(parsedAs(object as unknown as T, options)) };
}

/**
 * `object` with the `apiVersion` and `kind` of `options`, and without managedFields if `options` request
 * this.
 */
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
  // Some aggregated API servers send a plain string.
  return undecodable('an ERROR event carries no Status', line, 'ERROR');
}

function parseObject(line: string): Envelope {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The error has no cause, because the message of a SyntaxError quotes the line, which may come from a
    // Secret.
    throw undecodable('a line of a watch is not JSON', line);
  }
  if (isMapping(value)) return value;
  throw undecodable('a line of a watch is not an object', line);
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

/**
 * Called with a line, which consists of the bytes from `from` to `to`, without its line terminator. The bytes
 * are valid only until the call returns.
 */
type OnLine = (bytes: Buffer, from: number, to: number) => void;

/**
 * Splits chunks into lines of bytes, by the same rules as `readLines`. A line that lies within one chunk is
 * not copied. Use it if only few lines have to be decoded into strings.
 */
export class ByteLines {
  readonly #maxLineBytes: number;
  /** The pieces of an unfinished line. They are joined when the end of the line arrives. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(maxLineBytes: number = DEFAULT_MAX_LINE_BYTES) {
    this.#maxLineBytes = maxLineBytes;
  }

  /**
   * Calls `onLine` for every line that ends in `chunk`, in order.
   *
   * @throws ProtocolError `DECODE` when a line exceeds the limit, after the lines that end before it. Also
   *   throws the errors of `onLine`.
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

/**
 * Calls `onLine` with a line, unless the line is blank. To find this out, it reads only up to the first byte
 * that is not blank.
 */
function tell(bytes: Buffer, from: number, end: number, onLine: OnLine): void {
  const to = end > from && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  let first = from;
  while (first < to && isBlank(bytes[first])) first++;
  if (first < to) onLine(bytes, from, to);
}

/**
 * True for white space according to JSON. So a line with other control characters does not count as blank.
 */
function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN;
}

/** An event that was decoded without parsing its object. */
interface ScannedEvent<T extends KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: Entry<T>;
}

const CLOSE_BRACE = 0x7d;
const TYPES = ['ADDED', 'MODIFIED', 'DELETED'] as const;
const BEFORE_TYPE = '{"type":"';

/** The first bytes of a line, keyed by the first letter of its type. */
const BEGINNINGS = new Map(
  TYPES.map((type) => [type.charCodeAt(0), { type, text: `${BEFORE_TYPE}${type}","object":` }]),
);

/**
 * The event in `bytes` from `start` to `end`, which are one line without its terminator. The result is
 * `foreign` if `isForeign` returns true. It is undefined when the line must be parsed, because it does not
 * look exactly as kube-apiserver writes lines, or is a BOOKMARK or an ERROR.
 *
 * The text after the metadata is searched only for members that would change the event or the identity,
 * because JSON uses the last of several members with the same name. Invalid JSON elsewhere is found when the
 * object is read; see `Entry`. If `JSON.parse` would refuse a line, its object cannot be read later, either,
 * except if the fault is in managedFields, which are removed.
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
  // The last byte must be the closing brace of the event, and the byte before it the closing brace of the
  // object.
  const to = end - 1;
  if (bytes[to] !== CLOSE_BRACE || bytes[to - 1] !== CLOSE_BRACE) return undefined;
  const found = scanIdentity(bytes, from, to, true);
  if (found === undefined) return undefined;
  const entry = entryOfBytes<T>({ bytes, from, to }, found, options);
  if (entry === undefined) return undefined;
  return isForeign(found) ? 'foreign' : { type: beginning.type, entry };
}
