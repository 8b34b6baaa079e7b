/**
 * Characters that a terminal obeys or that change the order in which it shows others: DEL, the C1
 * controls, and the marks, embeddings, overrides and isolates of the Unicode Bidirectional Algorithm
 * (UAX #9). JSON and YAML allow them in a text as they are.
 */
const UNSEEN = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The same, and the C0 controls but for tab and newline. */
const UNSEEN_OR_C0 = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** `json` with such characters as `\u009b`: the same JSON value, and harmless on a terminal. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, escaped);
}

/** `text` for people, with such characters, and C0 controls but for tab and newline, as `\u009b`. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN_OR_C0, (character) =>
    character === '\t' || character === '\n' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Characters of one text of a server that an error or a log line has. As many as are read, in bytes, of
 * an answer that is nobody's: enough for the words of an API server, and no line that fills a log.
 */
export const MAX_TEXT_CHARS = 2_048;

/** Of the end, where an API server names the last of several causes. */
const END_CHARS = 512;

/**
 * `text`, without its middle where it is too long; the number of characters left out is told there.
 *
 * @param maxChars - of `text` that stay. Default 2,048.
 */
export function boundedText(text: string, maxChars: number = MAX_TEXT_CHARS): string {
  if (text.length <= maxChars) return text;
  const end = text.slice(-END_CHARS);
  const beginning = text.slice(0, maxChars - END_CHARS);
  const leftOut = text.length - maxChars;
  // A half of a surrogate pair at a cut becomes U+FFFD.
  return `${beginning} … (${leftOut} characters left out) … ${end}`.toWellFormed();
}
