import { Readable } from 'node:stream';
import type { WatchEvent } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { type DecodeOptions, decodeEvents } from '../../operator/stream/decode.ts';
import { collect } from '../support/recorded-stream.ts';
import { chunksOf } from './chunks.ts';

/** A response body of these bytes, cut at these places. */
export function bodyOf(text: string | Buffer, cuts: readonly number[] = []): Readable {
  return Readable.from(chunksOf(Buffer.from(text), cuts), { objectMode: true });
}

/** Each line with its end. */
export const linesOf = (lines: readonly string[]): string =>
  lines.map((line) => `${line}\n`).join('');

/** An event, its object read. */
export type PlainEvent =
  | { readonly type: string; readonly object: KubernetesObject }
  | { readonly type: string; readonly unreadable: unknown }
  | Extract<WatchEvent, { type: 'BOOKMARK' }>;

/** What comes of reading `event`. */
export function plain(event: WatchEvent): PlainEvent {
  if (event.type === 'BOOKMARK') return event;
  const { type, entry } = event;
  try {
    return { type, object: entry.object };
  } catch (error) {
    return { type, unreadable: (error as { readonly code?: unknown }).code };
  }
}

export interface Decoded {
  readonly events: readonly PlainEvent[];
  /** Form of each object that was left out. */
  readonly skipped: readonly unknown[];
  readonly error: unknown;
  /** How many objects came without being parsed. */
  readonly scanned: number;
}

/** All that comes of a body. */
export async function decoded(body: Readable, options: DecodeOptions = {}): Promise<Decoded> {
  const skipped: unknown[] = [];
  const onSkipped = (found: unknown): void => void skipped.push(found);
  const { items, error } = await collect(decodeEvents(body, { onSkipped, ...options }));
  const events = items.flat();
  const scanned = events.filter((event) => event.type !== 'BOOKMARK' && event.entry.textLength > 0);
  return { events: events.map(plain), skipped, error, scanned: scanned.length };
}
