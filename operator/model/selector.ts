import { ConfigurationError, type ErrorContext } from '../core/errors.ts';
import { isDnsSubdomain } from './dns-name.ts';

/** One condition on labels. All requirements of a selector must hold. */
export interface Requirement {
  /** The label. */
  readonly key: string;
  /** What must hold of its value; `above` and `below` compare integers of 64 bits. */
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'above' | 'below';
  /** Empty for `exists` and `absent`; one integer of 64 bits for `above` and `below`. */
  readonly values: readonly string[];
}

/** A label selector as requirements. None at all selects everything. */
export type Selector = readonly Requirement[];

/** The object form of a selector, `metav1.LabelSelector`. */
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

/** True when `labels` satisfy every requirement. An absent label satisfies `notin`. */
export function matchesSelector(
  selector: Selector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const known = labels ?? {}; // an aggregated API server may send null
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

function isOnSide(
  value: string | undefined,
  [bound = '']: readonly string[],
  holds: (number: bigint, bound: bigint) => boolean,
): boolean {
  const [number, limit] = [int64Of(value ?? ''), int64Of(bound)];
  return number !== undefined && limit !== undefined && holds(number, limit);
}

/** As Go's `strconv.ParseInt(text, 10, 64)`. Undefined for what is no integer, and for a larger one. */
function int64Of(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const number = BigInt(text);
  return number === BigInt.asIntN(64, number) ? number : undefined;
}

/** The text form of a selector, as the `labelSelector` parameter takes it. */
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
 * The requirements of an object-form selector.
 *
 * @throws ConfigurationError `CONFIG` for a bad key, value or operator.
 */
export function selectorFromObject(selector: LabelSelector): Selector {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    requirement(key, 'in', [value]),
  );
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    const known = OBJECT_OPERATORS.get(operator);
    if (known === undefined) throw invalid(`unknown operator ${JSON.stringify(operator)}`);
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
 * A requirement with its key and values checked as `NewRequirement` does in k8s.io/apimachinery
 * (pkg/labels/selector.go).
 *
 * @throws ConfigurationError `CONFIG` whose context names `key`, `operator` and, joined by commas, `values`.
 */
export function requirement(
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
  if (!isLabelKey(key)) return `${JSON.stringify(key)} is not a label key`;
  const compares = operator === 'above' || operator === 'below';
  for (const value of values) {
    const text = JSON.stringify(value);
    if (!isLabelValue(value)) return `${text} is not a label value`;
    if (compares && int64Of(value) === undefined) {
      return `${text} is not a whole number of 64 bits to compare with`;
    }
  }
  return undefined;
}

/** `[prefix/]name`: prefix a DNS subdomain of at most 253 characters, name at most 63. */
export function isLabelKey(text: string): boolean {
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (parts.length > 2 || name.length > 63) return false;
  if (!/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)) return false;
  return prefix === undefined || isDnsSubdomain(prefix);
}

/** Empty, or at most 63 characters that begin and end with a letter or digit. */
export function isLabelValue(text: string): boolean {
  return (
    text === '' || (text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text))
  );
}

function invalid(problem: string, context: ErrorContext = {}): ConfigurationError {
  return new ConfigurationError(`invalid label selector: ${problem}`, { context });
}
