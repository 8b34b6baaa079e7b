import type { Readable } from 'node:stream';
import { ProtocolError } from '../core/errors.ts';
import { Entry } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import { ApiError, isStatus } from '../model/status.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../model/watch-event.ts';
import { ByteLines } from './byte-lines.ts';
import type { EntryOptions, Form } from './entry-of-bytes.ts';
import type { ReadLinesOptions } from './lines.ts';
import { ownedIterator } from './owned-iterator.ts';
import { scanEvent } from './scan-event.ts';

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
