import { ProtocolError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import { ApiError, isStatus } from '../model/status.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../model/watch-event.ts';
import { ownedIterator } from './owned-iterator.ts';

export interface DecodeOptions {
  /** Events about objects of another kind are left out. Default: every kind is accepted. */
  readonly expected?: { readonly apiVersion: string; readonly kind: string };
  /** `apiVersion` and `kind` that every object is given in place of its own. Default: it keeps them. */
  readonly given?: { readonly apiVersion: string; readonly kind: string };
  /** Called for every event that was left out. Must not throw. */
  readonly onSkipped?: (found: { readonly apiVersion: string; readonly kind: string }) => void;
}

/**
 * Lines → watch events, batch by batch. The one place where bytes of a watch become typed values.
 *
 * Events before a bad line of the same batch are yielded before the error is thrown, so that a
 * consumer has applied everything that arrived intact. Leaving the loop, or `return()` before it
 * began, ends `lines` too.
 *
 * @throws ApiError for a wire `ERROR` event, e.g. 410 `Expired`.
 * @throws ProtocolError `DECODE` for a line that is not a watch event, and for an `ERROR` that
 *   carries no Status. Its context names the length of the line, never its content.
 */
export function decodeWatchEvents<T extends KubernetesObject>(
  lines: AsyncIterable<readonly string[]>,
  options: DecodeOptions = {},
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  const iterator = lines[Symbol.asyncIterator]();
  const batches = decodeBatches<T>({ [Symbol.asyncIterator]: () => iterator }, options);
  return ownedIterator(batches, () => {
    // Its failure is the body's, and nobody reads that any more.
    iterator.return?.().catch(() => {});
  });
}

async function* decodeBatches<T extends KubernetesObject>(
  lines: AsyncIterable<readonly string[]>,
  options: DecodeOptions,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  for await (const batch of lines) {
    const { events, failure } = decodeBatch<T>(batch, options);
    if (events.length > 0) yield events;
    if (failure !== undefined) throw failure;
  }
}

function decodeBatch<T extends KubernetesObject>(
  batch: readonly string[],
  options: DecodeOptions,
): { events: readonly WatchEvent<T>[]; failure?: Error } {
  const events: WatchEvent<T>[] = [];
  for (const line of batch) {
    const decoded = decodeLine<T>(line, options);
    if (decoded instanceof Error) return { events, failure: decoded };
    if (decoded !== undefined) events.push(decoded);
  }
  return { events };
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

/** The event, the error that it means, or undefined for one to leave out. */
export function decodeLine<T extends KubernetesObject>(
  line: string,
  options: DecodeOptions,
): WatchEvent<T> | Error | undefined {
  const envelope = parseObject(line);
  if (envelope instanceof Error) return envelope;
  const { type, object } = envelope;
  if (type === 'ERROR') return errorEvent(object, line);
  if (!isRecord(object)) return undecodable('a watch event has no object', line);
  const subject: UncheckedObject = object;
  if (!isKnownType(type)) return undecodable('a watch event has an unknown type', line);
  if (isForeign(subject, options)) return undefined;
  if (type === 'BOOKMARK') return bookmark(subject);
  const name = subject.metadata?.name;
  if (typeof name !== 'string' || name === '') {
    return undecodable('the object of a watch event has no name', line);
  }
  const { given } = options;
  return { type, object: (given ? { ...object, ...given } : object) as unknown as T };
}

function isKnownType(type: unknown): type is WatchEvent['type'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
}

export function isForeign(
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

function parseObject(line: string): Envelope | Error {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // No cause: the message of a SyntaxError quotes the text, which may be a Secret's.
    return undecodable('a line of a watch is not JSON', line);
  }
  return isRecord(value) ? value : undecodable('a line of a watch is not an object', line);
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
