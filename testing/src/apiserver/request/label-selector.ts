import { ConfigurationError, messageOf, parseSelector, type Selector } from 'chancery';
import { badRequest } from '../failures/failure.ts';
import { int64Problem } from '../objects/go-integers.ts';
import { labelKey, labelValue } from '../validation/fields/formats.ts';

/**
 * Text → label selector.
 *
 * @throws ApiError 400, with the server's words for keys and values that no requirement may have:
 *   `NewRequirement` and `parseKeyAndInferOperator` in k8s.io/apimachinery pkg/labels/selector.go.
 */
export function parseLabelSelector(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    const problem = requirementProblem(error) ?? operatorProblem(text) ?? messageOf(error);
    throw badRequest(`unable to parse requirement: ${problem}`);
  }
}

function requirementProblem(error: unknown): string | undefined {
  if (!(error instanceof ConfigurationError)) return undefined;
  const { key, operator, values } = error.context;
  if (typeof key !== 'string' || typeof values !== 'string') return undefined;
  const wrongKey = labelKey(key);
  // The server gives no path to the parser, and prints a path of nil as this.
  if (wrongKey.length > 0) return invalid('<nil>', key, wrongKey.join('; '));
  const compares = operator === 'above' || operator === 'below';
  // The server keeps the values as a set, and shows it sorted.
  const sorted = [...new Set(values.split(','))].sort();
  const problems = [
    ...sorted.flatMap((value, at) => (compares ? integerProblems(value, at) : [])),
    ...sorted.flatMap((value, at) => {
      const wrong = labelValue(value);
      return wrong.length > 0 ? [invalid(`values[${at}][${key}]`, value, wrong.join('; '))] : [];
    }),
  ];
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
}

function integerProblems(value: string, at: number): string[] {
  if (int64Problem(value) === undefined) return [];
  const why = "for 'Gt', 'Lt' operators, the value must be an integer";
  return [invalid(`values[${at}]`, value, why)];
}

function invalid(path: string, value: string, why: string): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${why}`;
}

/** The server's own words where two words stand side by side: `a b` has no operator. */
function operatorProblem(text: string): string | undefined {
  const found = /^\s*[^\s=!(),]+\s+([^\s=!(),]+)/.exec(text)?.[1];
  if (found === undefined || found === 'in' || found === 'notin') return undefined;
  return `found '${found}', expected: in, notin, =, ==, !=, gt, lt`;
}
