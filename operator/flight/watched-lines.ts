import { jsonOf } from '../core/json/json-of.ts';
import { isMapping } from '../core/mapping.ts';

/** Pieces of the text of a watch → its lines. */
export class WatchedLines {
  /** The text after the last line break. */
  #rest = '';

  /** The lines that `text` completes. */
  add(text: string): readonly string[] {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}

/** A line of a watch as it was received: its object may be any value. */
export interface WatchedEvent {
  readonly type: string;
  readonly object: unknown;
}

/**
 * Undefined for a line that is not an event: the watch fails because of it, and reports the
 * failure.
 */
export function watchedEvent(line: string): WatchedEvent | undefined {
  const event = jsonOf(line);
  if (!isMapping(event) || typeof event.type !== 'string') return undefined;
  return { type: event.type, object: event.object };
}
