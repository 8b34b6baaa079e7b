import { isObject, type Json } from '../../objects/metadata.ts';
import { type Check, each, fields, isEmpty, itemsOf } from './check.ts';
import { dnsSubdomain, labelKey, labelValue } from './formats.ts';
import { duplicate, forbidden, invalidValue, type Problem, required } from './problem.ts';

const NO_OPERATOR = 'not a valid selector operator';

/** Checks a node selector. A node matches the selector if it matches any of its terms. */
export const nodeSelector: Check = (value, field) => {
  if (!isObject(value)) return [];
  const at = `${field}.nodeSelectorTerms`;
  if (isEmpty(value.nodeSelectorTerms))
    return [required(at, 'must have at least one node selector term')];
  return each(term(true))(value.nodeSelectorTerms, at);
};

/** Checks one term of a preference. Its values need not be valid label values. */
export const preferredNodes: Check = term(false);

function term(withValues: boolean): Check {
  return fields({
    matchExpressions: each((value, field) => ofLabels(value, field, withValues)),
    matchFields: each(ofFields),
  });
}

function ofLabels(value: unknown, field: string, withValues: boolean): readonly Problem[] {
  const { key = '', operator, values } = isObject(value) ? value : {};
  const texts = Array.isArray(values) ? values.map(String) : [];
  const valueProblems = texts.flatMap((text, at) =>
    labelValue(text).map((why) => invalidValue(`${field}.values[${at}]`, text, why)),
  );
  return [
    ...countProblems(operator, texts.length, field),
    ...labelKey(String(key)).map((why) => invalidValue(`${field}.key`, key, why)),
    ...(withValues ? valueProblems : []),
  ];
}

function countProblems(operator: unknown, count: number, field: string): readonly Problem[] {
  const at = `${field}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count > 0) return [];
      return [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return [];
      return [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      if (count === 1) return [];
      return [required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${field}.operator`, operator ?? '', NO_OPERATOR)];
  }
}

/** `metadata.name` is the only node field that a selector may use. */
function ofFields(value: unknown, field: string): readonly Problem[] {
  const { key = '', operator, values } = isObject(value) ? value : {};
  const names = Array.isArray(values) ? values.map(String) : [];
  const problems: Problem[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    problems.push(invalidValue(`${field}.operator`, operator ?? '', NO_OPERATOR));
  } else if (names.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    problems.push(required(`${field}.values`, why));
  }
  if (key !== 'metadata.name')
    return [...problems, invalidValue(`${field}.key`, key, 'not a valid field selector key')];
  const wrong = names.flatMap((name, at) =>
    dnsSubdomain(name).map((why) => invalidValue(`${field}.values[${at}]`, name, why)),
  );
  return [...problems, ...wrong];
}

/** Checks the allowed topologies of a volume. A topology consists of labels with their values. */
export const topologies: Check = (value, field) => {
  const terms = itemsOf(value);
  // The server's list of known topologies begins with an empty topology for each term, so an empty term
  // always counts as a duplicate.
  const seen = terms.map(() => '[]');
  return terms.flatMap((one, at) => {
    const problems = topology(one, `${field}[${at}]`);
    const text = textOf(one);
    const same = seen.filter((other) => other === text);
    seen.push(text);
    const again = same.map(() => duplicate(`${field}[${at}].matchLabelExpressions`, ''));
    return [...problems, ...again];
  });
};

/** The sorted values of each label, as one string for comparison. */
function textOf({ matchLabelExpressions }: Json): string {
  const byKey = new Map(
    itemsOf(matchLabelExpressions).map(({ key = '', values }) => [
      String(key),
      [...new Set(Array.isArray(values) ? values.map(String) : [])].sort(),
    ]),
  );
  return JSON.stringify([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const topology: Check = fields({}, ({ matchLabelExpressions }, field) => {
  const seen = new Set<unknown>();
  return itemsOf(matchLabelExpressions).flatMap(({ key = '', values }, at) => {
    const path = `${field}.matchLabelExpressions[${at}]`;
    const problems = [
      ...distinct(values, `${path}.values`),
      ...labelKey(String(key)).map((why) => invalidValue(`${path}.key`, key, why)),
      ...(seen.has(key) ? [duplicate(`${path}.key`, key)] : []),
    ];
    seen.add(key);
    return problems;
  });
});

function distinct(values: unknown, field: string): readonly Problem[] {
  if (isEmpty(values) || !Array.isArray(values)) return [required(field)];
  return values.flatMap((value, at) =>
    values.indexOf(value) < at ? [duplicate(`${field}[${at}]`, value)] : [],
  );
}
