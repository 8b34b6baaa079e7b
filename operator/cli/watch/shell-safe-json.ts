import { visibleJson } from '../../core/visible-text.ts';

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
export function shellSafe(json: string): string {
  const line = json
    .replaceAll(AMBIGUOUS, (sequence, letter: string) => UNAMBIGUOUS[letter] ?? sequence)
    .replaceAll(LINE_BREAK, '');
  return visibleJson(line);
}
