import { ConfigurationError, type ErrorContext } from '../core/errors.ts';
import { compiledSelector } from './compiled-selector.ts';
import { isDnsSubdomain } from './dns-name.ts';
import { int64Of, type Requirement, type Selector } from './requirement.ts';

export type { Requirement, Selector } from './requirement.ts';

/** A selector in the format of `metav1.LabelSelector`, which is an object and not a string. */
export interface LabelSelector {
  /** Labels that must have these values. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements with the operator `In`, `NotIn`, `Exists` or `DoesNotExist`. All must hold. */
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/**
 * True when `labels` satisfy every requirement. An absent label satisfies `notin`. `selector` must not change
 * between two calls, because a large selector is prepared only once.
 */
export function matchesSelector(
  selector: Selector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const known = labels ?? {}; // an aggregated API server may send null
  const compiled = compiledSelector(selector);
  if (compiled !== undefined) return compiled.matches(known);
  return selector.every((requirement) => {
    const { key } = requirement;
    return holds(requirement, Object.hasOwn(known, key) ? known[key] : undefined);
  });
}

function holds({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'above':
      return isOnSide(value, values, (number, bound) => number > bound);
    case 'below':
      return isOnSide(value, values, (number, bound) => number < bound);
  }
}

/**
 * The first key of a selector whose requirements contradict each other, so that neither a value nor its
 * absence satisfies all of them. Such a selector selects nothing. Undefined when some labels satisfy the
 * selector.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `selectorFromObject`.
 */
export function contradictedKey(selector: LabelSelector): string | undefined {
  const byKey = Map.groupBy(selectorFromObject(selector), ({ key }) => key);
  for (const [key, requirements] of byKey) {
    const isMet = (value: string | undefined): boolean =>
      requirements.every((each) => holds(each, value));
    const listed = requirements.find(({ operator }) => operator === 'in')?.values;
    // If no requirement lists the allowed values, there is always a value that no requirement with `NotIn`
    // excludes.
    const isPresentMet =
      listed?.some(isMet) ?? requirements.every((each) => each.operator !== 'absent');
    if (!isPresentMet && !isMet(undefined)) return key;
  }
  return undefined;
}

function isOnSide(
  value: string | undefined,
  [bound = '']: readonly string[],
  holds: (number: bigint, bound: bigint) => boolean,
): boolean {
  const [number, limit] = [int64Of(value ?? ''), int64Of(bound)];
  return number !== undefined && limit !== undefined && holds(number, limit);
}

/** Formats a selector for the `labelSelector` parameter. */
export function formatSelector(selector: Selector): string {
  return selector
    .map(({ key, operator, values }) => {
      if (operator === 'exists') return key;
      if (operator === 'absent') return `!${key}`;
      const [only] = values;
      if (operator === 'above' || operator === 'below')
        return `${key}${operator === 'above' ? '>' : '<'}${only}`;
      if (values.length === 1 && only !== '')
        return `${key}${operator === 'in' ? '=' : '!='}${only}`;
      return `${key} ${operator} (${[...values].sort().join(',')})`;
    })
    .join(',');
}

/**
 * The requirements of a selector in the format of `metav1.LabelSelector`.
 *
 * @throws ConfigurationError `CONFIG` for a bad key, value or operator.
 */
export function selectorFromObject(selector: LabelSelector): Selector {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    requirement(key, 'in', [value]),
  );
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    const known = OBJECT_OPERATORS.get(operator);
    if (known === undefined) throw invalid(`unknown operator ${shown(JSON.stringify(operator))}`);
    const needsValues = known === 'in' || known === 'notin';
    if (needsValues !== values.length > 0) {
      throw invalid(`operator ${operator} ${needsValues ? 'needs' : 'takes no'} values`);
    }
    return requirement(key, known, values);
  });
  return [...equal, ...expressions];
}

const OBJECT_OPERATORS: ReadonlyMap<string, Requirement['operator']> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', 'absent'],
]);

/**
 * Creates a requirement and checks its key and values like `NewRequirement` in k8s.io/apimachinery
 * (pkg/labels/selector.go).
 *
 * @throws ConfigurationError `CONFIG` whose context contains `key`, `operator`, and `values` joined by
 *   commas.
 */
function requirement(
  key: string,
  operator: Requirement['operator'],
  values: readonly string[],
): Requirement {
  const problem = requirementProblem(key, operator, values);
  if (problem === undefined) return { key, operator, values };
  throw invalid(problem, { key, operator, values: values.join(',') });
}

function requirementProblem(
  key: string,
  operator: Requirement['operator'],
  values: readonly string[],
): string | undefined {
  if (!isLabelKey(key)) return `${shown(JSON.stringify(key))} is not a label key`;
  const compares = operator === 'above' || operator === 'below';
  for (const value of values) {
    const text = shown(JSON.stringify(value));
    if (!isLabelValue(value)) return `${text} is not a label value`;
    if (compares && int64Of(value) === undefined) {
      return `${text} is not a whole number of 64 bits to compare with`;
    }
  }
  return undefined;
}

/**
 * True for `[prefix/]name`, where the prefix is a DNS subdomain of at most 253 characters and the name has at
 * most 63 characters.
 */
export function isLabelKey(text: string): boolean {
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (parts.length > 2 || name.length > 63) return false;
  if (!/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)) return false;
  return prefix === undefined || isDnsSubdomain(prefix);
}

/** True for an empty string, and for at most 63 characters that begin and end with a letter or digit. */
export function isLabelValue(text: string): boolean {
  return (
    text === '' || (text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text))
  );
}

function invalid(problem: string, context: ErrorContext = {}): ConfigurationError {
  return new ConfigurationError(`invalid label selector: ${problem}`, { context });
}

/**
 * Parses a label selector, with the whole grammar of `labelSelector`:
 *
 * `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a>1`, `a<1`, `a`, `!a`, joined by commas. An empty
 * string results in a selector without requirements, which selects everything. The caller decides whether to
 * allow that.
 *
 * @throws ConfigurationError `CONFIG` for invalid syntax. The message contains the token that was expected
 *   and the token that was found.
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

  /** A value may be empty: `a=` selects objects whose label `a` is the empty string. */
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

/** Tokens and white space, as in the server's lexer. Any other space is part of a word, and is refused. */
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

/** Maximum number of characters that a message quotes of a user's selector. A key has up to 317. */
const MAX_QUOTED = 400;

function shown(quoted: string): string {
  return quoted.length > MAX_QUOTED ? `${quoted.slice(0, MAX_QUOTED)}…` : quoted;
}

function isSymbol(token: string): boolean {
  return /^[=!(),<>]/.test(token);
}

function unexpected(text: string, found: string, expected: string): ConfigurationError {
  return new ConfigurationError(
    `invalid label selector: found ${shown(found)}, expected ${expected}, in ${shown(JSON.stringify(text))}`,
  );
}
