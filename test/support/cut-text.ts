import type { HeldText } from '../../operator/model/held-object.ts';

/**
 * The JSON of an object, cut where `HeldObject` wants it: before the brace that closes `metadata`, which
 * hold no braces but those of flat objects. One that has no metadata is cut behind its first character.
 */
export function cutText(text: string): HeldText {
  const cut = /"metadata":\{(?:[^{}]|\{[^{}]*\})*/.exec(text);
  const at = cut === null ? 1 : cut.index + cut[0].length;
  return { head: text.slice(0, at), tail: text.slice(at) };
}
