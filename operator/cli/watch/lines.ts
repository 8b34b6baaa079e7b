import { messageOf, ProtocolError } from '../../core/errors.ts';
import { visibleJson } from '../../core/visible-text.ts';
import { INITIAL_EVENTS_END } from '../../model/entry.ts';
import type { ObjectKey } from '../../model/object.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import type { Change } from '../../store/change.ts';

const TYPES = { add: 'ADDED', update: 'MODIFIED', delete: 'DELETED' } as const;

/** Told of a change that has no line. `why` has no content of the object. Must not throw. */
export type Unprintable = (key: ObjectKey, why: string) => void;

/**
 * Changes → lines of a watch, made one at a time as they are asked for. A change that cannot be
 * printed has no line: `unprintable` is told, and the next change has its line all the same.
 *
 * An object that came as text is printed as it came: with all digits of its numbers, however deeply
 * it is nested. Text that is no JSON has no line, and `unprintable` is not told: the source lists the
 * object anew. Of an object that was printed before and let go, the line has the metadata.
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
      // A RangeError of JSON.stringify: the object is nested too deeply, or its text is too long.
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

/** The line that ends the first list, as a server writes it at the end of a streaming list. */
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

/** Escapes of JSON that `echo` of a POSIX shell such as dash takes for its own. */
const AMBIGUOUS = /\\(["/bfnrtu\\])/g;

/** Stands between members only: within a string JSON allows none. */
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
 * POSIX lets `echo` interpret `\n`, `\t`, `\\` and the like, and dash does: a line of JSON falls
 * apart before a script hands it to `jq`. The long form `\u000a` means the same to every JSON parser
 * and nothing to any `echo`; neither does `\"`.
 */
export function shellSafeJson(value: unknown): string {
  return shellSafe(JSON.stringify(value));
}

/**
 * `json` as one line that survives `echo "$line"` in every shell, holds no character that a terminal
 * obeys, and means the same value.
 */
function shellSafe(json: string): string {
  const line = json
    .replaceAll(AMBIGUOUS, (sequence, letter: string) => UNAMBIGUOUS[letter] ?? sequence)
    .replaceAll(LINE_BREAK, '');
  return visibleJson(line);
}
