/** Matches a jq path into `metadata`, or to `kind`. A filter after a pipe gets only that value. */
const PATH = String.raw`\.(?:metadata(?![A-Za-z0-9_])(?:\.[A-Za-z_]\w*|\.?\["[^"\\]*"\]|\[\])*\??|kind\b|apiVersion\b)`;
const KEY = String.raw`(?:[A-Za-z_]\w*|"[^"\\]*")`;
const MEMBER = String.raw`${KEY}\s*:\s*${PATH}`;
const OBJECT = String.raw`\{\s*${MEMBER}(?:\s*,\s*${MEMBER})*\s*\}`;
const ARRAY = String.raw`\[\s*${PATH}(?:\s*,\s*${PATH})*\s*\]`;
const PROGRAM = new RegExp(
  String.raw`^\s*(?:${PATH}|${OBJECT}|${ARRAY})\s*(?:\|(?![=|]).*)?$`,
  's',
);

/**
 * True for a program that certainly reads only `metadata`, `kind` and `apiVersion`: it begins with
 * a path into these fields, or with an object or an array of such paths. False for every other
 * program, even if the program reads only these fields.
 */
export function readsOnlyMetadata(program: string): boolean {
  return PROGRAM.test(program);
}
