import type { Readable } from 'node:stream';
import type { KubernetesObject } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import { ByteLines } from './byte-lines.ts';
import { type DecodeOptions, decodeLine, isForeign } from './decode.ts';
import type { HoldOptions } from './held-object-text.ts';
import type { ReadLinesOptions } from './lines.ts';
import { ownedIterator } from './owned-iterator.ts';
import { scanEvent } from './scan-event.ts';

interface DecodeHeldOptions extends Omit<DecodeOptions, 'given'>, ReadLinesOptions, HoldOptions {}

/**
 * As `decodeWatchEvents` of `readLines`, in one step: objects are `HeldObject`s where their line is as
 * kube-apiserver writes it, and parsed where it is not.
 *
 * Text that is no JSON is found when the object is read, where it lies within the object and behind
 * its metadata; all else as there.
 */
export function decodeHeldEvents<T extends KubernetesObject>(
  body: Readable,
  options: DecodeHeldOptions,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  return ownedIterator(batchesOf<T>(body, options), () => body.destroy());
}

async function* batchesOf<T extends KubernetesObject>(
  body: Readable,
  options: DecodeHeldOptions,
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
  options: DecodeHeldOptions,
): { readonly error: unknown } | undefined {
  try {
    lines.read(chunk, (bytes, from, to) => {
      const decoded = decodeHeld<T>(bytes, from, to, options);
      if (decoded instanceof Error) throw decoded;
      if (decoded !== undefined) events.push(decoded);
    });
  } catch (error) {
    return { error };
  }
  return undefined;
}

function decodeHeld<T extends KubernetesObject>(
  bytes: Buffer,
  from: number,
  to: number,
  options: DecodeHeldOptions,
): WatchEvent<T> | Error | undefined {
  const event = scanEvent(bytes, from, to, options);
  if (event === undefined) return decodeLine<T>(bytes.toString('utf8', from, to), options);
  if (isForeign(event.object, options)) return undefined;
  // Whoever asked says that it is the text of a T.
  return event as unknown as WatchEvent<T>;
}
