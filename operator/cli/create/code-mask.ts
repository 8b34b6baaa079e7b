/**
 * The code of a module without its comments and texts. Characters of a comment are spaces, and those of a text
 * quotes, so that places stay the same. Line breaks stay.
 *
 * Regular expressions are not recognized. A quote in one looks like the beginning of a text; if that text
 * has no end on its line, the answer is undefined.
 *
 * @returns undefined when a text or a comment has no end.
 */
export function codeMask(source: string): string | undefined {
  const masked = [...source.matchAll(TOKENS)].map(([token]) => {
    if (/^\/[/*]/.test(token)) return COMMENT.test(token) ? filled(token, ' ') : undefined;
    if (!/^['"`]/.test(token)) return token;
    return TEXT.test(token) ? filled(token, '"') : undefined;
  });
  return masked.includes(undefined) ? undefined : masked.join('');
}

/** Comments, texts, and everything else. A text or a comment without its end takes the rest. */
const TOKENS =
  /\/\/[^\r\n]*|\/\*.*?(?:\*\/|$)|'(?:\\.|[^'\\\r\n])*'?|"(?:\\.|[^"\\\r\n])*"?|`(?:\\.|[^`\\])*`?|[^'"`/]+|\//gs;

const COMMENT = /^(?:\/\/.*|\/\*.*\*\/)$/s;
const TEXT = /^(['"`])(?:\\.|(?!\1)[^\\])*\1$/s;

function filled(token: string, character: string): string {
  return token.replaceAll(/[^\r\n]/g, character);
}
