import { ConfigurationError } from '../core/errors.ts';
import { type Requirement, requirement, type Selector } from './selector.ts';

/**
 * Text → label selector: the whole grammar of `labelSelector`.
 *
 * `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a>1`, `a<1`, `a`, `!a`, joined by commas. The empty text
 * is the selector without requirements, which selects everything: whether that is meant is for the
 * caller to decide.
 *
 * @throws ConfigurationError `CONFIG` that says what was expected and what was found.
 */
export function parseSelector(text: string): Selector {
  const tokens = tokenize(text);
  const selector: Requirement[] = [];
  if (tokens.length === 0) return selector;
  let at = 0;

  const peek = (): string | undefined => tokens[at];
  const next = (): string => {
    const token = tokens[at++];
    if (token === undefined) throw unexpected(text, 'the end', 'more');
    return token;
  };
  const word = (what: string): string => {
    const token = next();
    if (isSymbol(token)) throw unexpected(text, JSON.stringify(token), what);
    return token;
  };

  for (;;) {
    selector.push(parseRequirement());
    if (at === tokens.length) return selector;
    const separator = next();
    if (separator !== ',') throw unexpected(text, JSON.stringify(separator), 'a comma');
  }

  function parseRequirement(): Requirement {
    if (peek() === '!') {
      next();
      return requirement(word('a label key'), 'absent', []);
    }
    const key = word('a label key');
    const operator = peek();
    if (operator === undefined || operator === ',') return requirement(key, 'exists', []);
    next();
    if (operator === '=' || operator === '==') return requirement(key, 'in', [singleValue()]);
    if (operator === '!=') return requirement(key, 'notin', [singleValue()]);
    if (operator === '>') return requirement(key, 'above', [singleValue()]);
    if (operator === '<') return requirement(key, 'below', [singleValue()]);
    if (operator === 'in' || operator === 'notin') return requirement(key, operator, valueList());
    throw unexpected(text, JSON.stringify(operator), 'an operator');
  }

  /** A value may be empty: `a=` selects objects whose label `a` is the empty text. */
  function singleValue(): string {
    const token = peek();
    return token === undefined || token === ',' ? '' : word('a label value');
  }

  function valueList(): string[] {
    if (next() !== '(') throw unexpected(text, 'no "("', '"(" before the values');
    const values: string[] = [];
    for (;;) {
      const token = peek();
      values.push(token === ',' || token === ')' ? '' : word('a label value'));
      const end = next();
      if (end === ')') return values;
      if (end !== ',') throw unexpected(text, JSON.stringify(end), '"," or ")"');
    }
  }
}

/** Space is what the server's lexer takes for space; any other is part of a word, and refused. */
const TOKEN = /[ \t\r\n]+|(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+)/y;

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const token = match[1] ?? match[2];
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

function isSymbol(token: string): boolean {
  return /^[=!(),<>]/.test(token);
}

function unexpected(text: string, found: string, expected: string): ConfigurationError {
  return new ConfigurationError(
    `invalid label selector: found ${found}, expected ${expected}, in ${JSON.stringify(text)}`,
  );
}
