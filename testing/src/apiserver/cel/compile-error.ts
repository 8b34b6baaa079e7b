import type { Finding } from './checker/check.ts';

/** The library's report on an expression that it cannot compile. */
export interface CompileProblem {
  readonly code?: string;
  readonly summary?: string;
  readonly message: string;
  readonly range?: { readonly start: number; readonly end: number };
  readonly node?: { readonly args?: unknown };
}

/**
 * A compile error in the format of the server: a message, the position, and the line with a caret below the
 * position. The message is the library's if the server's message is not known.
 */
export function compileErrorText(expression: string, problem: CompileProblem): string {
  const { code = '', summary = problem.message } = problem;
  const literal = structLiteral(expression, problem);
  if (literal !== undefined) return errorText(expression, literal);
  const at = placeOf(expression, problem);
  const text = /^Unexpected token: /.test(summary)
    ? unexpectedToken(expression, problem)
    : wordsOf(code, summary);
  return errorText(expression, { at, text });
}

/**
 * The error for an object literal. The library cannot parse object literals. The server refuses every object
 * literal in a rule, because no type has a name that a rule can use. Errors in the fields of the literal are
 * not reported.
 */
function structLiteral(expression: string, { code, range }: CompileProblem): Finding | undefined {
  const at = range?.start ?? 0;
  const [name] = /[A-Za-z_][\w.]*(?=\s*$)/.exec(expression.slice(0, at)) ?? [];
  if (code !== 'unexpected_character' || expression[at] !== '{' || name === undefined) {
    return undefined;
  }
  return { at, text: `undeclared reference to '${name}' (in container '')` };
}

/** The maximum number of findings in one message. */
const MOST_FINDINGS = 100;

/** All findings in the order of their positions, each as one error. */
export function findingsText(expression: string, findings: readonly Finding[]): string {
  const shown = findings.slice(0, MOST_FINDINGS).sort((left, right) => left.at - right.at);
  const texts = shown.map((finding) => errorText(expression, finding));
  const rest = findings.length - shown.length;
  return [...texts, ...(rest > 0 ? [`${rest} more errors were truncated`] : [])].join('\n');
}

/**
 * A finding with its position, its line, and a caret below the position (cel-go, common/error.go).
 */
function errorText(expression: string, { at, text }: Finding): string {
  const before = expression.slice(0, at).split('\n');
  const inLine = Array.from(before.at(-1) ?? '');
  const line = (expression.split('\n')[before.length - 1] ?? '').replaceAll('\t', ' ');
  const place = `<input>:${before.length}:${inLine.length + 1}`;
  // Dots fill the line up to the caret. For a wide character, the dot is as wide as the character.
  const dots = inLine.map((character) => (isWide(character) ? '\uff0e' : '.')).join('');
  const caret = isWide(expression.slice(at)) ? '\uff3e' : '^';
  return `ERROR: ${place}: ${text}\n | ${line}\n | ${dots}${caret}`;
}

function isWide(text: string): boolean {
  return (text.codePointAt(0) ?? 0) > 0x7f;
}

/** The tokens that may begin an expression, as the server's grammar lists them. */
const BEGINNINGS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

function unexpectedToken(expression: string, { range }: CompileProblem): string {
  const token = expression.slice(range?.start ?? 0, range?.end) || '<EOF>';
  return `Syntax error: mismatched input '${token}' expecting ${BEGINNINGS}`;
}

/** The server's message for a syntax error. If it is not known, the library's message. */
export function syntaxProblem({ code = '', summary = '', message }: CompileProblem): string {
  const [, word] = /^Reserved identifier: (.*)/.exec(summary) ?? [];
  return word === undefined ? wordsOf(code, summary || message) : `reserved identifier: ${word}`;
}

/**
 * The position that the server reports. For a field, this is the position of the dot before it. For a call of
 * an operator, it is the position of the operator.
 */
function placeOf(expression: string, { code, range, node }: CompileProblem): number {
  const start = range?.start ?? 0;
  if (code === 'invalid_macro_argument') return expression[start - 1] === '.' ? start - 1 : start;
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
    case 'invalid_macro_argument':
      return summary.replace(
        /^.* invalid predicate iteration variable$/,
        'argument must be a simple name',
      );
    case 'incompatible_ternary_branches':
      return ternaryText(summary);
    default:
      return /^(?:unexpected|unterminated|newline)|token/.test(code)
        ? `Syntax error: ${summary}`
        : summary;
  }
}

/**
 * Rewrites a phrase of the library's messages: `string + int` becomes `'_+_' applied to '(string, int)'`.
 */
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

/**
 * Rewrites a phrase of the library's messages: `'string.charAt(bool)'` becomes
 * `'charAt' applied to 'string.(bool)'`.
 */
function callText(summary: string): string {
  const [, receiver, name = '', args = ''] = /'(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? [];
  const applied = receiver === undefined ? `(${args})` : `${typeName(receiver)}.(${args})`;
  return `found no matching overload for '${name}' applied to '${applied}'`;
}

function ternaryText(summary: string): string {
  const [, left, right] = /got '(.+)' and '(.+)'$/.exec(summary) ?? [];
  return `found no matching overload for '_?_:_' applied to '(bool, ${typeName(left)}, ${typeName(right)})'`;
}

/** The server's name of a type: `list(int)` for `list<int>`. The names of object types are internal. */
function typeName(type = ''): string {
  return type
    .replace(/^object\d+$/, 'object')
    .replaceAll('<', '(')
    .replaceAll('>', ')');
}
