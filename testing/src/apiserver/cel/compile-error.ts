/** What the library says of an expression that it cannot compile. */
export interface CompileProblem {
  readonly code?: string;
  readonly summary?: string;
  readonly message: string;
  readonly range?: { readonly start: number; readonly end: number };
  readonly node?: { readonly args?: unknown };
}

/**
 * The error of an expression in the form of the server: its words where they are known, the place,
 * and the line with a caret below the place.
 */
export function compileErrorText(expression: string, problem: CompileProblem): string {
  const { code = '', summary = problem.message } = problem;
  const at = placeOf(expression, problem);
  const text = /^Unexpected token: /.test(summary)
    ? unexpectedToken(expression, problem)
    : wordsOf(code, summary);
  const before = expression.slice(0, at).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = expression.split('\n')[before.length - 1] ?? '';
  const place = `<input>:${before.length}:${column + 1}`;
  return `ERROR: ${place}: ${text}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

/** What may begin an expression, as the grammar of the server lists it. */
const BEGINNINGS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

function unexpectedToken(expression: string, { range }: CompileProblem): string {
  const token = expression.slice(range?.start ?? 0, range?.end) || '<EOF>';
  return `Syntax error: mismatched input '${token}' expecting ${BEGINNINGS}`;
}

/** What the server says of a text that is no expression, where its words are known. */
export function syntaxProblem({ code = '', summary = '', message }: CompileProblem): string {
  const [, word] = /^Reserved identifier: (.*)/.exec(summary) ?? [];
  return word === undefined ? wordsOf(code, summary || message) : `reserved identifier: ${word}`;
}

/** The server points at the dot before a field, and at an operator. */
function placeOf(expression: string, { code, range, node }: CompileProblem): number {
  const start = range?.start ?? 0;
  if (code === 'no_such_key') return Math.max(start - 1, 0);
  if (code !== 'no_such_overload' || !Array.isArray(node?.args)) return start;
  const { end } = (node.args[0] ?? {}) as { readonly end?: number };
  if (end === undefined) return start;
  return end + (/^[\s)]*/.exec(expression.slice(end))?.[0].length ?? 0);
}

function wordsOf(code: string, summary: string): string {
  const [, subject = ''] = /: (.*)$/s.exec(summary) ?? [];
  switch (code) {
    case 'no_such_key':
      return `undefined field '${subject}'`;
    case 'unknown_variable':
      return `undeclared reference to '${subject}' (in container '')`;
    case 'no_such_overload':
      return overloadText(subject);
    case 'no_matching_overload':
      return callText(summary);
    case 'incompatible_ternary_branches':
      return ternaryText(summary);
    default:
      return /^(?:unexpected|unterminated|newline)|token/.test(code)
        ? `Syntax error: ${summary}`
        : summary;
  }
}

/** `string + int` → `'_+_' applied to '(string, int)'`. */
function overloadText(subject: string): string {
  const [, left, operator, right] =
    /^(.+?) (==|!=|<=|>=|<|>|\+|-|\*|\/|%|in) (.+)$/.exec(subject) ?? [];
  if (operator === undefined) {
    const [, unary = '', operand = ''] = /^([-!])(.+)$/.exec(subject) ?? [];
    return `found no matching overload for '${unary}_' applied to '(${operand})'`;
  }
  const name = operator === 'in' ? '@in' : `_${operator}_`;
  return `found no matching overload for '${name}' applied to '(${typeName(left)}, ${typeName(right)})'`;
}

/** `'string.charAt(bool)'` → `'charAt' applied to 'string.(bool)'`. */
function callText(summary: string): string {
  const [, receiver, name = '', args = ''] = /'(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? [];
  const applied = receiver === undefined ? `(${args})` : `${typeName(receiver)}.(${args})`;
  return `found no matching overload for '${name}' applied to '${applied}'`;
}

function ternaryText(summary: string): string {
  const [, left, right] = /got '(.+)' and '(.+)'$/.exec(summary) ?? [];
  return `found no matching overload for '_?_:_' applied to '(bool, ${typeName(left)}, ${typeName(right)})'`;
}

/** `list<int>` → `list(int)`. The names of object types are internal. */
function typeName(type = ''): string {
  return type
    .replace(/^object\d+$/, 'object')
    .replaceAll('<', '(')
    .replaceAll('>', ')');
}
