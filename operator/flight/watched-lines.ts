import { jsonOf } from '../core/json/json-of.ts';
import { isMapping } from '../core/mapping.ts';

/** Pieces of the text of a watch → its lines. */
export class WatchedLines {
  /** What came after the last line break. */
  #rest = '';

  /** The lines that `text` completes. */
  add(text: string): readonly string[] {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}

/** A line of a watch as it was received: its object may be anything. */
export interface WatchedEvent {
  readonly type: string;
  readonly object: unknown;
}

/** Undefined for a line that is no event: the watch fails by it, and says so. */
export function watchedEvent(line: string): WatchedEvent | undefined {
  const event = jsonOf(line);
  if (!isMapping(event) || typeof event.type !== 'string') return undefined;
  return { type: event.type, object: event.object };
}
