/**
 * Characters of one text of a server that an error or a log line has. As many as are read, in bytes, of
 * an answer that is nobody's: enough for the words of an API server, and no line that fills a log.
 */
export const MAX_TEXT_CHARS = 2_048;

/** Of the end, where an API server names the last of several causes. */
const END_CHARS = 512;

/** `text`, without its middle where it has more than 2,048 characters; the number of them is told there. */
export function boundedText(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  const end = text.slice(-END_CHARS);
  const beginning = text.slice(0, MAX_TEXT_CHARS - END_CHARS);
  const leftOut = text.length - MAX_TEXT_CHARS;
  // A half of a surrogate pair at a cut becomes U+FFFD.
  return `${beginning} … (${leftOut} characters left out) … ${end}`.toWellFormed();
}
