/** A token, or the text between two tokens. */
const TOKENS =
  /\/\/[^\n]*|[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[A-Za-z_]\w*|\s+|\d[\w.]*|[\s\S]/g;

/** The parts of an expression, including spaces and comments. Joined, they are the text. */
export function tokensOf(expression: string): readonly string[] {
  return expression.match(TOKENS) ?? [];
}
