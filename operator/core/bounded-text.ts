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
