import { ConfigurationError } from '../core/errors.ts';

/** One condition on labels. All requirements of a selector must hold. */
export interface Requirement {
  /** The label. */
  readonly key: string;
  /** What must hold of its value; `above` and `below` compare whole numbers. */
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'above' | 'below';
  /** Empty for `exists` and `absent`; one whole number for `above` and `below`. */
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
      return isWholeNumber(value) && BigInt(value) > BigInt(values[0] ?? '');
    case 'below':
      return isWholeNumber(value) && BigInt(value) < BigInt(values[0] ?? '');
  }
}

function isWholeNumber(text: string | undefined): text is string {
  return typeof text === 'string' && /^-?[0-9]+$/.test(text);
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

/** A requirement with its key and values checked against the grammar of labels. */
export function requirement(
  key: string,
  operator: Requirement['operator'],
  values: readonly string[],
): Requirement {
  if (!isLabelKey(key)) throw invalid(`${JSON.stringify(key)} is not a label key`);
  for (const value of values) {
    if (!isLabelValue(value)) throw invalid(`${JSON.stringify(value)} is not a label value`);
  }
  if ((operator === 'above' || operator === 'below') && !isWholeNumber(values[0])) {
    throw invalid(`${JSON.stringify(values[0])} is not a whole number to compare with`);
  }
  return { key, operator, values };
}

/** `[prefix/]name`: prefix a DNS subdomain of at most 253 characters, name at most 63. */
export function isLabelKey(text: string): boolean {
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (parts.length > 2 || name.length > 63) return false;
  if (!/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)) return false;
  if (prefix === undefined) return true;
  return (
    prefix.length <= 253 &&
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(prefix)
  );
}

/** Empty, or at most 63 characters that begin and end with a letter or digit. */
export function isLabelValue(text: string): boolean {
  return (
    text === '' || (text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text))
  );
}

function invalid(problem: string): ConfigurationError {
  return new ConfigurationError(`invalid label selector: ${problem}`);
}
