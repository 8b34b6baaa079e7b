import { matchesSelector, selectorFromObject } from 'chancery/internal-objects';
import { isObject } from '../../objects/metadata.ts';
import { type Check, each, fields, formed, isEmpty } from './check.ts';
import { labelKey, labelValue } from './formats.ts';
import { forbidden, invalidValue, type Problem, required } from './problem.ts';

/** Checks a map of labels. Problems of both keys and values are reported at the path of the map. */
export function labels(value: unknown, field: string): readonly Problem[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, text]) => [
    ...labelKey(key).map((why) => invalidValue(field, key, why)),
    ...labelValue(String(text)).map((why) => invalidValue(field, text, why)),
  ]);
}

/** The largest total size of an object's annotations: 256 KiB. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

export function annotations(value: unknown, field: string): readonly Problem[] {
  if (!isObject(value)) return [];
  let size = 0;
  const problems = Object.entries(value).flatMap(([key, text]) => {
    size += Buffer.byteLength(key) + Buffer.byteLength(String(text));
    // Prefixes of annotations are case-insensitive.
    return labelKey(key.toLowerCase()).map((why) => invalidValue(field, key, why));
  });
  if (size <= MAX_ANNOTATION_BYTES) return problems;
  const message = `Too long: may not be more than ${MAX_ANNOTATION_BYTES} bytes`;
  return [...problems, { field, reason: 'FieldValueTooLong', message }];
}

const WITH_VALUES = ['In', 'NotIn'];
const WITHOUT_VALUES = ['Exists', 'DoesNotExist'];

const requirement: Check = fields(
  {},
  ({ operator, values }, field) => {
    if (WITH_VALUES.includes(String(operator))) {
      const why = "must be specified when `operator` is 'In' or 'NotIn'";
      return isEmpty(values) ? [required(`${field}.values`, why)] : [];
    }
    if (WITHOUT_VALUES.includes(String(operator))) {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return isEmpty(values) ? [] : [forbidden(`${field}.values`, why)];
    }
    const why = 'not a valid selector operator';
    return [invalidValue(`${field}.operator`, operator ?? '', why)];
  },
  ({ key }, field) =>
    labelKey(String(key ?? '')).map((why) => invalidValue(`${field}.key`, key ?? '', why)),
  ({ values }, field) => each(formed(labelValue))(values, `${field}.values`),
);

/** Checks a `metav1.LabelSelector`. */
export const labelSelector: Check = fields({
  matchLabels: labels,
  matchExpressions: each(requirement),
});

/** True for a selector without requirements. */
export function selectsEverything(selector: unknown): boolean {
  if (!isObject(selector)) return true;
  const { matchLabels, matchExpressions } = selector;
  const count = isObject(matchLabels) ? Object.keys(matchLabels).length : 0;
  return count === 0 && isEmpty(matchExpressions);
}

/** Whether a selector matches labels. True for an invalid selector, because another rule reports it. */
export function selects(selector: unknown, found: unknown): boolean {
  if (!isObject(selector)) return true;
  try {
    const wanted = selectorFromObject(selector);
    return matchesSelector(wanted, isObject(found) ? (found as Record<string, string>) : {});
  } catch {
    return true;
  }
}
