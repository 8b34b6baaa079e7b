/** A token, or what is between two of them. */
const TOKENS =
  /\/\/[^\n]*|[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[A-Za-z_]\w*|\s+|\d[\w.]*|[\s\S]/g;

/** The parts of an expression, spaces and comments among them: together they are the text. */
export function tokensOf(expression: string): readonly string[] {
  return expression.match(TOKENS) ?? [];
}
