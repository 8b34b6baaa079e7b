/**
 * The code of a module with comments and string literals masked. Characters in comments become
 * spaces, and characters in literals become quotes, so that all positions stay the same. Line
 * breaks stay.
 *
 * Regular expressions are not recognized. A quote in a regular expression looks like the start of a
 * literal. If that literal has no end on its line, the result is undefined.
 *
 * @returns undefined when a literal or a comment has no end.
 */
export function codeMask(source: string): string | undefined {
  const masked = [...source.matchAll(TOKENS)].map(([token]) => {
    if (/^\/[/*]/.test(token)) return COMMENT.test(token) ? filled(token, ' ') : undefined;
    if (!/^['"`]/.test(token)) return token;
    return TEXT.test(token) ? filled(token, '"') : undefined;
  });
  return masked.includes(undefined) ? undefined : masked.join('');
}

/**
 * Matches one comment, one literal, or other text. A literal or a comment without an end extends to
 * the end of the text.
 */
const TOKENS =
  /\/\/[^\r\n]*|\/\*.*?(?:\*\/|$)|'(?:\\.|[^'\\\r\n])*'?|"(?:\\.|[^"\\\r\n])*"?|`(?:\\.|[^`\\])*`?|[^'"`/]+|\//gs;

const COMMENT = /^(?:\/\/.*|\/\*.*\*\/)$/s;
const TEXT = /^(['"`])(?:\\.|(?!\1)[^\\])*\1$/s;

function filled(token: string, character: string): string {
  return token.replaceAll(/[^\r\n]/g, character);
}
