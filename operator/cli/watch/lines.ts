import { messageOf, ProtocolError } from '../../core/errors.ts';
import { visibleJson } from '../../core/text/visible-text.ts';
import { INITIAL_EVENTS_END } from '../../model/entry.ts';
import type { ObjectKey } from '../../model/object.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import type { Change } from '../../store/change.ts';

const TYPES = { add: 'ADDED', update: 'MODIFIED', delete: 'DELETED' } as const;

/** Called for a change that cannot be printed. `why` contains no content of the object. Must not throw. */
export type Unprintable = (key: ObjectKey, why: string) => void;

/**
 * Turns changes into lines of a watch. Each line is created only when the caller requests it. A
 * change that cannot be printed has no line: `unprintable` is called, and the next change follows.
 *
 * An object that arrived as text is printed from that text, with all digits of its numbers, at any
 * depth. Text that is not JSON has no line and no call of `unprintable`, because the source lists
 * the object again. The line of an object that was printed and released contains only its metadata.
 */
export function* watchLines(
  changes: Iterable<Change>,
  unprintable: Unprintable,
): Generator<string, void, undefined> {
  for (const change of changes) {
    let json: string | undefined;
    try {
      json = objectJson(change);
    } catch (error) {
      // JSON.stringify has thrown a RangeError: the object is nested too deeply, or its text is too
      // long.
      unprintable(change.key, messageOf(error));
    }
    if (json !== undefined) yield `{"type":"${TYPES[change.type]}","object":${json}}`;
  }
}

function objectJson({ type, entry }: Change): string | undefined {
  try {
    const { text } = entry;
    return text === undefined ? shellSafeJson(entry.object) : shellSafe(text);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return type === 'delete' ? shellSafeJson(entry.nameAlone().object) : undefined;
  }
}

/**
 * The line that ends the first list. It is the bookmark with which a server ends a streaming list.
 */
export function syncMarkerLine(resource: Resource, resourceVersion: string): string {
  return shellSafeJson({
    type: 'BOOKMARK',
    object: {
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion, annotations: { [INITIAL_EVENTS_END]: 'true' } },
    },
  });
}

/**
 * Matches every escape of JSON. The `echo` of a POSIX shell such as dash also interprets some of
 * these escapes. They are the keys of `UNAMBIGUOUS`.
 */
const AMBIGUOUS = /\\(["/bfnrtu\\])/g;

/** Matches line breaks, which occur only between members: JSON allows no line break in a string. */
const LINE_BREAK = /[\r\n]+/g;

const UNAMBIGUOUS: Readonly<Record<string, string>> = {
  '\\': '\\u005c',
  b: '\\u0008',
  f: '\\u000c',
  n: '\\u000a',
  r: '\\u000d',
  t: '\\u0009',
};

/**
 * JSON text of `value` that survives `echo "$line"` in every shell.
 *
 * POSIX allows `echo` to interpret `\n`, `\t`, `\\` and similar escapes. dash does that, and so
 * breaks a line of JSON before a script passes it to `jq`. The long form `\u000a` means the same to
 * every JSON parser, and `echo` does not interpret it. `\"` has no meaning for `echo` either, and
 * stays.
 */
export function shellSafeJson(value: unknown): string {
  return shellSafe(JSON.stringify(value));
}

/**
 * `json` as one line with the same value. The line survives `echo "$line"` in every shell, and
 * contains no character that a terminal interprets.
 */
function shellSafe(json: string): string {
  const line = json
    .replaceAll(AMBIGUOUS, (sequence, letter: string) => UNAMBIGUOUS[letter] ?? sequence)
    .replaceAll(LINE_BREAK, '');
  return visibleJson(line);
}
