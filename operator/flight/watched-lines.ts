import { jsonOf } from '../core/json/json-of.ts';
import { isMapping } from '../core/mapping.ts';

/** Splits the chunks of a watch into lines. */
export class WatchedLines {
  /** The text after the last line break. */
  #rest = '';

  /** Adds `text`, and returns the lines that are now complete. */
  add(text: string): readonly string[] {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}

/** A line of a watch as it was received. Its member `object` may be any value. */
export interface WatchedEvent {
  readonly type: string;
  readonly object: unknown;
}

/**
 * Undefined for a line that is not an event. The watch fails because of such a line, and reports the failure.
 */
export function watchedEvent(line: string): WatchedEvent | undefined {
  const event = jsonOf(line);
  if (!isMapping(event) || typeof event.type !== 'string') return undefined;
  return { type: event.type, object: event.object };
}
