import { isObject, type Json, valueAt } from '../../objects/metadata.ts';
import { isEmpty, itemsOf, notNegative } from '../fields/check.ts';
import { labelKey } from '../fields/formats.ts';
import { internalJson } from '../fields/internal-json.ts';
import {
  duplicate,
  invalidShown,
  invalidValue,
  notSupported,
  type Problem,
  required,
  tooLong,
  tooMany,
} from '../fields/problem.ts';

/**
 * The problems of a Job's failure policy and success policy, as in pkg/apis/batch/validation of
 * v1.36.
 */
export function policyProblems(spec: Json, field: string): readonly Problem[] {
  return [...failurePolicy(spec, field), ...successPolicy(spec, field)];
}

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;
const MAX_INDEXES_BYTES = 65_536;

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** Requires one of these words. */
function word(field: string, value: unknown, words: readonly string[]): readonly Problem[] {
  if (isEmpty(value)) {
    const list = words.map((text) => JSON.stringify(text)).join(' ');
    return [required(field, `valid values: [${list}]`)];
  }
  return words.includes(String(value)) ? [] : [notSupported(field, value, words)];
}

function failurePolicy(spec: Json, field: string): readonly Problem[] {
  if (!isObject(spec.podFailurePolicy)) return [];
  const at = `${field}.podFailurePolicy.rules`;
  const rules = itemsOf(spec.podFailurePolicy.rules);
  const many = rules.length > MAX_RULES ? [tooMany(at, rules.length, MAX_RULES)] : [];
  return [...many, ...rules.flatMap((rule, index) => failureRule(spec, rule, `${at}[${index}]`))];
}

function failureRule(spec: Json, rule: Json, field: string): readonly Problem[] {
  const { action, onExitCodes, onPodConditions } = rule;
  const conditions = itemsOf(onPodConditions);
  const isIndex = action === 'FailIndex' && spec.backoffLimitPerIndex === undefined;
  const ofAction = isIndex
    ? [invalidValue(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set')]
    : word(`${field}.action`, action, ACTIONS);
  const whole = (why: string): Problem => ({
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${why}`,
  });
  const hasCodes = isObject(onExitCodes);
  const hasConditions = conditions.length > 0;
  return [
    ...ofAction,
    ...(hasCodes ? exitCodes(spec, onExitCodes, `${field}.onExitCodes`) : []),
    ...podConditions(conditions, `${field}.onPodConditions`),
    ...(hasCodes && hasConditions
      ? [whole('specifying both OnExitCodes and OnPodConditions is not supported')]
      : []),
    ...(hasCodes || hasConditions
      ? []
      : [whole('specifying one of OnExitCodes and OnPodConditions is required')]),
  ];
}

function exitCodes(spec: Json, { operator, containerName, values }: Json, field: string) {
  const problems: Problem[] = [...word(`${field}.operator`, operator, OPERATORS)];
  const names = ['containers', 'initContainers'].flatMap((list) =>
    itemsOf(valueAt(spec, ['template', 'spec', list])).map(({ name }) => name),
  );
  if (containerName !== undefined && !names.includes(containerName)) {
    const why = 'must be one of the container or initContainer names in the pod template';
    problems.push(invalidValue(`${field}.containerName`, containerName, why));
  }
  const at = `${field}.values`;
  const codes = (Array.isArray(values) ? values : []) as readonly number[];
  if (codes.length === 0) {
    problems.push(invalidValue(at, values ?? null, 'at least one value is required'));
  } else if (codes.length > MAX_EXIT_CODES)
    problems.push(tooMany(at, codes.length, MAX_EXIT_CODES));
  for (const [index, code] of codes.entries()) {
    if (operator === 'In' && code === 0) {
      problems.push(invalidValue(`${at}[${index}]`, code, 'must not be 0 for the In operator'));
    }
    if (codes.indexOf(code) < index) problems.push(duplicate(`${at}[${index}]`, code));
  }
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? 0) <= code);
  return isOrdered ? problems : [...problems, invalidValue(at, codes, 'must be ordered')];
}

function podConditions(conditions: readonly Json[], field: string): readonly Problem[] {
  const many = conditions.length > MAX_CONDITIONS;
  return [
    ...(many ? [tooMany(field, conditions.length, MAX_CONDITIONS)] : []),
    ...conditions.flatMap(({ type, status }, index) => [
      ...labelKey(String(type ?? '')).map((why) =>
        invalidValue(`${field}[${index}].type`, type ?? '', why),
      ),
      ...word(`${field}[${index}].status`, status, STATUSES),
    ]),
  ];
}

function successPolicy(spec: Json, field: string): readonly Problem[] {
  const policy = spec.successPolicy;
  if (!isObject(policy)) return [];
  const at = `${field}.successPolicy`;
  if (spec.completionMode !== 'Indexed') {
    const shown = internalJson('io.k8s.api.batch.v1.SuccessPolicy', policy);
    return [invalidShown(at, shown, 'requires indexed completion mode')];
  }
  const rules = itemsOf(policy.rules);
  const none = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [required(`${at}.rules`, none)] : []),
    ...(rules.length > MAX_RULES ? [tooMany(`${at}.rules`, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, index) => successRule(spec, rule, `${at}.rules[${index}]`)),
  ];
}

function successRule(spec: Json, rule: Json, field: string): readonly Problem[] {
  const { succeededCount, succeededIndexes } = rule;
  if (succeededCount === undefined && succeededIndexes === undefined) {
    const why = 'at least one of succeededCount or succeededIndexes must be specified';
    return [required(field, why)];
  }
  const completions = Number(spec.completions ?? 0);
  const problems: Problem[] = [];
  let total = 0;
  if (succeededIndexes !== undefined) {
    const text = String(succeededIndexes);
    const at = `${field}.succeededIndexes`;
    if (text.length > MAX_INDEXES_BYTES) problems.push(tooLong(at, MAX_INDEXES_BYTES));
    const read = readIndexes(text, completions);
    if (typeof read === 'number') total = read;
    else problems.push(invalidValue(at, text, `error parsing succeededIndexes: ${read.problem}`));
  }
  if (succeededCount === undefined) return problems;
  const count = Number(succeededCount);
  const at = `${field}.succeededCount`;
  problems.push(...notNegative(succeededCount, at));
  const above = (limit: number, what: string): void => {
    if (count <= limit) return;
    problems.push(invalidValue(at, count, `must be less than or equal to ${limit} (${what})`));
  };
  above(completions, 'the number of specified completions');
  if (succeededIndexes !== undefined) {
    above(total, 'the number of indexes in the specified succeededIndexes field');
  }
  return problems;
}

/** The number of indexes in a string such as `0,2-4`, or the problem of the string. */
function readIndexes(text: string, completions: number): number | { readonly problem: string } {
  let total = 0;
  let last = -1;
  for (const part of text === '' ? [] : text.split(',')) {
    const limits = part.split('-');
    if (limits.length > 2) {
      const rule =
        "violates the requirement that an index interval can have at most two parts separated by '-'";
      return { problem: `the fragment ${JSON.stringify(part)} ${rule}` };
    }
    const numbers: number[] = [];
    for (const limit of limits) {
      const number = /^[+-]?\d+$/.test(limit) ? Number(limit) : Number.NaN;
      if (Number.isNaN(number)) {
        return { problem: `cannot convert string to integer for index: ${JSON.stringify(limit)}` };
      }
      if (number >= completions) return { problem: `too large index: ${JSON.stringify(limit)}` };
      numbers.push(number);
    }
    const [from = 0, to = from] = numbers;
    const order = (previous: number, current: number): string =>
      `non-increasing order, previous: ${previous}, current: ${current}`;
    if (numbers.length > 1 && from >= to) return { problem: order(from, to) };
    if (last >= from) return { problem: order(last, from) };
    total += to - from + 1;
    last = to;
  }
  return total;
}
