/**
 * Characters that control a terminal or change the order in which it shows other characters: DEL, the C1
 * controls, and the marks, embeddings, overrides and isolates of the Unicode Bidirectional Algorithm (UAX
 * #9). JSON and YAML allow them unescaped.
 */
const UNSEEN = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The characters of `UNSEEN`, and the C0 controls except tab and newline. */
const UNSEEN_OR_C0 = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * `json` with the characters of `UNSEEN` escaped, such as `\u009b`. The JSON value is the same, and its text
 * is safe for a terminal.
 */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, escaped);
}

/** `text` for people, with the characters of `UNSEEN_OR_C0` escaped, such as `\u009b`. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN_OR_C0, (character) =>
    character === '\t' || character === '\n' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Maximum number of characters of a server's message in an error or a log line. This is enough for the
 * messages of an API server, and does not flood a log. An answer that does not come from Kubernetes is read
 * up to the same number of bytes.
 */
export const MAX_TEXT_CHARS = 2_048;

/** Number of characters that are kept at the end, where an API server reports the last of several causes. */
const END_CHARS = 512;

/**
 * `text`, with its middle removed if it is too long. The number of removed characters is inserted there.
 *
 * @param maxChars - characters of `text` to keep. Default 2,048.
 */
export function boundedText(text: string, maxChars: number = MAX_TEXT_CHARS): string {
  if (text.length <= maxChars) return text;
  const endChars = Math.min(END_CHARS, Math.floor(maxChars / 2));
  const end = text.slice(-endChars);
  const beginning = text.slice(0, maxChars - endChars);
  const removed = text.length - maxChars;
  // Cutting may split a surrogate pair. The remaining half becomes U+FFFD.
  return `${beginning} … (${removed} characters omitted) … ${end}`.toWellFormed();
}
