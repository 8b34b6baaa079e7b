import { ConfigurationError, type LabelSelector, selectorFromObject } from 'chancery';
import { isLabelKey } from 'chancery/internal';
import type { DecoratorSpecFields } from '../definitions/controller-object.ts';
import type { AnnotationRequirement } from '../spec.ts';
import { InvalidSpecError, refuse, shown } from './invalid-spec.ts';

/**
 * A checked label selector.
 *
 * @throws InvalidSpecError.
 */
export function parseLabelSelector(
  selector: LabelSelector | undefined,
  path: string,
): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  try {
    selectorFromObject(selector);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new InvalidSpecError(path, error.message, { cause: error });
  }
  return selector;
}

type AnnotationSelector = DecoratorSpecFields['resources'][number]['annotationSelector'];

/**
 * The requirements of an annotation selector. Unlike the value of a label, a value may be any text.
 *
 * @throws InvalidSpecError.
 */
export function parseAnnotationSelector(
  selector: AnnotationSelector,
  path: string,
): readonly AnnotationRequirement[] | undefined {
  if (selector === undefined) return undefined;
  const { matchAnnotations = {}, matchExpressions = [] } = selector;
  const equal = Object.entries(matchAnnotations).map(([key, value]): AnnotationRequirement => {
    requireKey(key, `${path}.matchAnnotations`);
    return { key, operator: 'In', values: [value] };
  });
  const others = matchExpressions.map(({ key, operator, values = [] }, at) => {
    const own = `${path}.matchExpressions[${at}]`;
    requireKey(key, `${own}.key`);
    return requirement(key, operator, values, own);
  });
  return [...equal, ...others];
}

function requireKey(key: string, path: string): void {
  if (!isLabelKey(key)) refuse(path, `${shown(key)} is not the key of an annotation`);
}

function requirement(
  key: string,
  operator: string,
  values: readonly string[],
  path: string,
): AnnotationRequirement {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) refuse(`${path}.values`, `operator ${operator} needs values`);
      return { key, operator, values };
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) refuse(`${path}.values`, `operator ${operator} takes no values`);
      return { key, operator, values };
    default: {
      const expected = 'expected In, NotIn, Exists or DoesNotExist';
      return refuse(`${path}.operator`, `${expected}, got ${shown(operator)}`);
    }
  }
}
