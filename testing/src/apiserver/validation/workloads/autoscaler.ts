import { isObject, type Json } from '../../objects/metadata.ts';
import { compareQuantities } from '../../objects/quantity.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type Check, each, fields, formed, isEmpty, must, needed } from '../fields/check.ts';
import { pathSegment } from '../fields/formats.ts';
import {
  forbidden,
  invalidValue,
  notSupported,
  type Problem,
  required,
} from '../fields/problem.ts';

/**
 * Makes the check of a reference to an object.
 * @param apiVersion - the check of the apiVersion of the referenced object.
 */
const reference =
  (apiVersion: Check): Check =>
  (value, field) =>
    fields({ kind: must(formed(pathSegment)), name: must(formed(pathSegment)), apiVersion })(
      isObject(value) ? value : {},
      field,
    );

/** Requires that the scaled object has an API group, unless it is a ReplicationController. */
const scaled: Check = (value, field) => {
  const isCore = isObject(value) && value.kind === 'ReplicationController';
  return reference(isCore ? anyVersion : groupVersion)(value, field);
};

function groupVersion(value: unknown, field: string): readonly Problem[] {
  const text = String(value ?? '');
  const problems = anyVersion(value, field);
  if (problems.length > 0) return problems;
  const isGrouped = /^[^/]+\//.test(text);
  return isGrouped ? [] : [invalidValue(field, text, 'apiVersion must specify API group')];
}

function anyVersion(value: unknown, field: string): readonly Problem[] {
  const text = String(value ?? '');
  if (text.split('/').length <= 2) return [];
  return [invalidValue(field, text, `unexpected GroupVersion string: ${text}`)];
}

function replicas({ minReplicas, maxReplicas }: Json): readonly Problem[] {
  const problems: Problem[] = [];
  const [least, most] = [Number(minReplicas ?? 1), Number(maxReplicas ?? 0)];
  if (least < 1) {
    const why = 'must be greater than or equal to 1';
    problems.push(invalidValue('spec.minReplicas', minReplicas, why));
  }
  if (most === 0) {
    problems.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  } else if (most < 0) {
    const why = 'must be greater than or equal to 1';
    problems.push(invalidValue('spec.maxReplicas', most, why));
  }
  if (most < least) {
    const why = 'must be greater than or equal to `minReplicas`';
    problems.push(invalidValue('spec.maxReplicas', most, why));
  }
  return problems;
}

/**
 * Requires a metric that does not come from Pods if the minimum is zero replicas, because without Pods there
 * are no Pod metrics.
 */
function scaledToZero({ minReplicas, metrics }: Json): readonly Problem[] {
  if (minReplicas !== 0) return [];
  const kinds = Array.isArray(metrics) ? metrics.map((one) => one?.type) : [];
  if (kinds.includes('Object') || kinds.includes('External')) return [];
  const why =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbidden('spec.metrics', why)];
}

function target(value: unknown, field: string): readonly Problem[] {
  const { type, value: amount, averageValue, averageUtilization } = isObject(value) ? value : {};
  const problems: Problem[] = [];
  if (isEmpty(type)) problems.push(required(`${field}.type`, 'must specify a metric target type'));
  if (!['Utilization', 'Value', 'AverageValue'].includes(String(type))) {
    const why = 'must be either Utilization, Value, or AverageValue';
    problems.push(invalidValue(`${field}.type`, type ?? '', why));
  }
  for (const [name, quantity] of [
    ['value', amount],
    ['averageValue', averageValue],
  ] as const) {
    if (quantity === undefined || compareQuantities(quantity, '0') === 1) continue;
    problems.push(invalidValue(`${field}.${name}`, quantity, 'must be positive'));
  }
  if (averageUtilization !== undefined && Number(averageUtilization) < 1) {
    const why = 'must be greater than 0';
    problems.push(invalidValue(`${field}.averageUtilization`, averageUtilization, why));
  }
  return problems;
}

const metricName: Check = fields({
  name: (value, field) =>
    isEmpty(value)
      ? [required(field, 'must specify a metric name')]
      : formed(pathSegment)(value, field),
});

function identifier(value: unknown, field: string): readonly Problem[] {
  return metricName(isObject(value) ? value : {}, field);
}

/** Requires that the target of a metric sets a total value or an average per Pod. */
function valueOrAverage(why: string): (source: Json, field: string) => readonly Problem[] {
  return ({ target: wanted }, field) => {
    const { value, averageValue } = isObject(wanted) ? wanted : {};
    if (value !== undefined || averageValue !== undefined) return [];
    return [required(`${field}.target.averageValue`, why)];
  };
}

function utilization({ target: wanted }: Json, field: string): readonly Problem[] {
  const { averageUtilization, averageValue } = isObject(wanted) ? wanted : {};
  const why = 'a target raw value and a target utilization';
  if (averageUtilization === undefined && averageValue === undefined) {
    const either = 'must set either a target raw value or a target utilization';
    return [required(`${field}.target.averageUtilization`, either)];
  }
  if (averageUtilization === undefined || averageValue === undefined) return [];
  return [forbidden(`${field}.target.averageValue`, `may not set both ${why}`)];
}

const resourceName = needed('must specify a resource name');

const SOURCES: Readonly<Record<string, Check>> = {
  object: fields(
    { describedObject: reference(anyVersion), metric: identifier, target },
    valueOrAverage('must set either a target value or averageValue'),
  ),
  external: fields(
    { metric: identifier, target },
    valueOrAverage('must set either a target value for metric or a per-pod target'),
  ),
  pods: fields({ metric: identifier, target }, ({ target: wanted }, field) =>
    isObject(wanted) && wanted.averageValue !== undefined
      ? []
      : [required(`${field}.target.averageValue`, 'must specify a positive target averageValue')],
  ),
  resource: fields({ name: resourceName, target }, utilization),
  containerResource: fields(
    {
      container: needed('must specify a container name'),
      name: resourceName,
      target,
    },
    utilization,
  ),
};

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

function metric(value: Json, field: string): readonly Problem[] {
  const type = String(value.type ?? '');
  const problems: Problem[] =
    type === '' ? [required(`${field}.type`, 'must specify a metric source type')] : [];
  if (!TYPES.includes(type)) problems.push(notSupported(`${field}.type`, type, TYPES));
  const present = Object.keys(SOURCES).filter((name) => isObject(value[name]));
  const [first] = present;
  if (first !== undefined)
    problems.push(...(SOURCES[first]?.(value[first], `${field}.${first}`) ?? []));
  const expected = type.charAt(0).toLowerCase() + type.slice(1);
  if (TYPES.includes(type) && !present.includes(expected)) {
    const why = 'must populate information for the given metric source';
    problems.push(required(`${field}.${expected}`, why));
  }
  const others = present.length === 1 ? [] : present.filter((name) => name !== expected);
  const only = 'must populate the given metric source only';
  return [...problems, ...others.map((name) => forbidden(`${field}.${name}`, only))];
}

/** The longest period of a policy: half an hour. */
const MAX_PERIOD_SECONDS = 1_800;
/** The longest stabilization window: an hour. */
const MAX_WINDOW_SECONDS = 3_600;

const scalingPolicy: Check = fields({}, ({ type, value, periodSeconds }, field) => {
  const problems: Problem[] = [];
  const types = ['Percent', 'Pods'];
  if (!types.includes(String(type)))
    problems.push(notSupported(`${field}.type`, type ?? '', types));
  if (Number(value ?? 0) <= 0) {
    problems.push(invalidValue(`${field}.value`, value ?? 0, 'must be greater than zero'));
  }
  const seconds = Number(periodSeconds ?? 0);
  const at = `${field}.periodSeconds`;
  if (seconds <= 0) problems.push(invalidValue(at, seconds, 'must be greater than zero'));
  if (seconds <= MAX_PERIOD_SECONDS) return problems;
  return [
    ...problems,
    invalidValue(at, seconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`),
  ];
});

const scalingRules: Check = fields({}, (rules, field) => {
  const problems: Problem[] = [];
  const window = rules.stabilizationWindowSeconds;
  const at = `${field}.stabilizationWindowSeconds`;
  if (typeof window === 'number' && window < 0) {
    problems.push(invalidValue(at, window, 'must be greater than or equal to zero'));
  }
  if (typeof window === 'number' && window > MAX_WINDOW_SECONDS) {
    problems.push(invalidValue(at, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  }
  const select = ['Disabled', 'Max', 'Min'];
  const { selectPolicy, policies } = rules;
  if (selectPolicy !== undefined && !select.includes(String(selectPolicy))) {
    problems.push(notSupported(`${field}.selectPolicy`, selectPolicy, select));
  }
  if (isEmpty(policies)) {
    problems.push(required(`${field}.policies`, 'must specify at least one Policy'));
  }
  return [...problems, ...each(scalingPolicy)(policies, `${field}.policies`)];
});

export function autoscaler({ spec }: StoredObject): readonly Problem[] {
  const value = isObject(spec) ? spec : {};
  return [
    ...replicas(value),
    ...scaled(value.scaleTargetRef, 'spec.scaleTargetRef'),
    ...each(fields({}, metric))(value.metrics, 'spec.metrics'),
    ...scaledToZero(value),
    ...fields({ scaleUp: scalingRules, scaleDown: scalingRules })(value.behavior, 'spec.behavior'),
  ];
}
