/** A token, or the spaces and comments between two tokens. */
const TOKENS =
  /\/\/[^\n]*|[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[A-Za-z_]\w*|\s+|\d[\w.]*|[\s\S]/g;

/**
 * The tokens of an expression, and the spaces and comments between them. Joined, they give the whole
 * expression.
 */
export function tokensOf(expression: string): readonly string[] {
  return expression.match(TOKENS) ?? [];
}
