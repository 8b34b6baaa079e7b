/**
 * Translates regular expressions of the API server (RE2) to JavaScript.
 *
 * Syntax that both have with different meanings (`.`, `\s`, escapes of punctuation) is rewritten. Syntax
 * that one of them lacks is refused. So an accepted pattern means the same in both.
 */

/** RE2's limit of repetitions. */
const MAX_REPETITIONS = 1_000;

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** The characters of `\s` in RE2. JavaScript's also has the vertical tab and the spaces of Unicode. */
const SPACE = '\\t\\n\\f\\r ';

const OUTSIDE =
  /\\(?:p\{\^?\w+\}|p[A-Z]|P\{\w+\}|P[A-Z]|x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[\s\S])|\(\?P?<[A-Za-z_]\w*>|\(\?:|\(\??|\{\d+(?:,\d*)?\}|\[\^?\]?|[\s\S]/gu;
const INSIDE =
  /\\(?:p\{\w+\}|p[A-Z]|P\{\w+\}|P[A-Z]|x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[\s\S])|\[:\^?\w+:\]|[\s\S]/gu;

/**
 * The JavaScript expression for `pattern`. It matches anywhere in a text unless it is anchored.
 *
 * @throws SyntaxError for a pattern that RE2 or JavaScript does not accept, with the token that is refused.
 */
export function patternMatcher(pattern: string): RegExp {
  const ignoresCase = pattern.startsWith('(?i)');
  const source = translate(ignoresCase ? pattern.slice('(?i)'.length) : pattern);
  return new RegExp(source, ignoresCase ? 'iu' : 'u');
}

function translate(pattern: string): string {
  let source = '';
  let inClass = false;
  let at = 0;
  while (at < pattern.length) {
    const token = tokenAt(pattern, at, inClass ? INSIDE : OUTSIDE);
    at += token.length;
    if (inClass) {
      inClass = token !== ']';
      source += translateInClass(token);
    } else {
      inClass = token.startsWith('[');
      source += translateOutside(token);
    }
  }
  return source;
}

function tokenAt(pattern: string, at: number, tokens: RegExp): string {
  const sticky = new RegExp(tokens.source, 'uy');
  sticky.lastIndex = at;
  return sticky.exec(pattern)?.[0] ?? '';
}

function translateOutside(token: string): string {
  if (token.startsWith('\\')) return translateEscape(token, false);
  if (token === '.') return '[^\\n]';
  if (token === '}' || token === ']' || token === '{') return `\\${token}`;
  if (token === '[]' || token === '[^]') throw refused(token);
  if (token.startsWith('(?') && token.endsWith('>')) return token.replace('(?P<', '(?<');
  if (token === '(?') throw refused('(?');
  if (token.length > 2 && token.startsWith('{')) refuseManyRepetitions(token);
  return token;
}

function translateInClass(token: string): string {
  if (token.startsWith('\\')) return translateEscape(token, true);
  if (!token.startsWith('[:')) return token;
  return POSIX_CLASSES[token.slice(2, -2)] ?? fail(token);
}

function translateEscape(token: string, inClass: boolean): string {
  const what = token.slice(1);
  if (/^[pP]/.test(what)) return translateProperty(token);
  if (what.startsWith('x{')) return `\\u${what.slice(1)}`;
  if (/^x../.test(what) || /^[dDwWfnrtv]$/.test(what)) return token;
  if (what === 's') return inClass ? SPACE : `[${SPACE}]`;
  if (!inClass && what === 'S') return `[^${SPACE}]`;
  if (!inClass && /^[bB]$/.test(what)) return token;
  if (!inClass && what === 'A') return '^';
  if (!inClass && what === 'z') return '$';
  if (what === 'a') return '\\x07';
  // RE2 allows an escape of any punctuation, JavaScript only necessary ones.
  if (/^[!-/:-@[-`{-~]$/.test(what))
    return `\\x${what.charCodeAt(0).toString(16).padStart(2, '0')}`;
  throw refused(token);
}

/**
 * `\pL`, `\p{Lu}` and `\p{Greek}`: categories and scripts. RE2 names a script without the prefix `Script=`.
 */
function translateProperty(token: string): string {
  const name = token.slice(2).replace(/[{}]/g, '');
  if (name.startsWith('^')) throw refused(token);
  const isCategory = name.length <= 2 || name === 'Any';
  return `\\${token.charAt(1)}{${isCategory ? name : `Script=${name}`}}`;
}

function refuseManyRepetitions(token: string): void {
  const most = Math.max(...(token.match(/\d+/g) ?? []).map(Number));
  if (most > MAX_REPETITIONS) throw refused(token);
}

function fail(token: string): never {
  throw refused(token);
}

function refused(token: string): SyntaxError {
  return new SyntaxError(`${token} is not in the syntax that RE2 and JavaScript have in common`);
}
