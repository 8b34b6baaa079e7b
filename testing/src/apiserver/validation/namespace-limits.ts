import { isObject, type Json } from '../objects/metadata.ts';
import { compareQuantities, quantityNanos } from '../objects/quantity.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ChangeCheck } from './fields/change.ts';
import { isEmpty, itemsOf } from './fields/check.ts';
import { labelKey } from './fields/formats.ts';
import { internalJson } from './fields/internal-json.ts';
import {
  duplicate,
  forbidden,
  IMMUTABLE,
  invalidShown,
  invalidValue,
  type Problem,
  required,
} from './fields/problem.ts';
import {
  containerResource,
  isExtended,
  notNegativeQuantity,
  resourceName,
} from './fields/resources.ts';

const LIMITED = ['Pod', 'Container', 'PersistentVolumeClaim'];

/** The problems of a LimitRange, in the order of `ValidateLimitRange` of v1.36. */
export function limitRange({ spec }: StoredObject): readonly Problem[] {
  const seen = new Set<unknown>();
  return itemsOf(isObject(spec) ? spec.limits : undefined).flatMap((limit, at) => {
    const field = `spec.limits[${at}]`;
    const { type = '' } = limit;
    const twice = seen.has(type) ? [duplicate(`${field}.type`, type)] : [];
    seen.add(type);
    return [...limitType(String(type), `${field}.type`), ...twice, ...limitProblems(limit, field)];
  });
}

function limitType(type: string, field: string): readonly Problem[] {
  const unqualified = labelKey(type);
  if (unqualified.length > 0) return unqualified.map((why) => invalidValue(field, type, why));
  if (type.includes('/') || LIMITED.includes(type)) return [];
  return [invalidValue(field, type, 'must be a standard limit type or fully qualified')];
}

function amountsOf(limit: Json, name: string): Json {
  const amounts = limit[name];
  return isObject(amounts) ? amounts : {};
}

function limitProblems(limit: Json, field: string): readonly Problem[] {
  const { type } = limit;
  const check = type === 'Pod' || type === 'Container' ? containerResource : resourceName;
  const names = (...parts: readonly string[]): readonly Problem[] =>
    parts.flatMap((part) =>
      Object.keys(amountsOf(limit, part)).flatMap((name) =>
        check(name, `${field}.${part}[${name}]`),
      ),
    );
  const isPod = type === 'Pod';
  const refused = ['default', 'defaultRequest']
    .filter((part) => Object.keys(amountsOf(limit, part)).length > 0)
    .map((part) => forbidden(`${field}.${part}`, "may not be specified when `type` is 'Pod'"));
  const isSized = [limit.min, limit.max].some((part) => isObject(part) && 'storage' in part);
  const unsized = 'either minimum or maximum storage value is required, but neither was provided';
  const parts = isPod ? ['max', 'min'] : ['max', 'min', 'default', 'defaultRequest'];
  const all = [...parts, 'maxLimitRequestRatio'].flatMap((part) =>
    Object.keys(amountsOf(limit, part)),
  );
  return [
    ...names('max', 'min'),
    ...(isPod ? refused : names('default', 'defaultRequest')),
    ...(type === 'PersistentVolumeClaim' && !isSized ? [required(`${field}.limits`, unsized)] : []),
    ...names('maxLimitRequestRatio'),
    ...[...new Set(all)].flatMap((name) => contradictions(limit, name, field)),
  ];
}

/** Two amounts of a resource. `less` must not exceed `more`. */
interface Order {
  readonly less: string;
  readonly more: string;
  /** The field at which the problem is reported, and the field whose amount the message contains. */
  readonly at: string;
  readonly shown: string;
  readonly text: (less: unknown, more: unknown) => string;
}

const ORDERS: readonly Order[] = [
  {
    less: 'min',
    more: 'max',
    at: 'min',
    shown: 'min',
    text: (less, more) => `min value ${less} is greater than max value ${more}`,
  },
  {
    less: 'min',
    more: 'defaultRequest',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: (less, more) => `min value ${less} is greater than default request value ${more}`,
  },
  {
    less: 'defaultRequest',
    more: 'max',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: (less, more) => `default request value ${less} is greater than max value ${more}`,
  },
  {
    less: 'defaultRequest',
    more: 'default',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: (less, more) =>
      `default request value ${less} is greater than default limit value ${more}`,
  },
  {
    less: 'min',
    more: 'default',
    at: 'default',
    shown: 'min',
    text: (less, more) => `min value ${less} is greater than default value ${more}`,
  },
  {
    less: 'default',
    more: 'max',
    at: 'default',
    shown: 'max',
    text: (less, more) => `default value ${less} is greater than max value ${more}`,
  },
];

function contradictions(limit: Json, name: string, field: string): readonly Problem[] {
  const amount = (part: string): unknown =>
    limit.type === 'Pod' && part.startsWith('default') ? undefined : amountsOf(limit, part)[name];
  const problems = ORDERS.flatMap(({ less, more, at, shown, text }) => {
    const [a, b] = [amount(less), amount(more)];
    if (a === undefined || b === undefined || compareQuantities(a, b) !== 1) return [];
    return [invalidValue(`${field}.${at}[${name}]`, amount(shown), text(a, b))];
  });
  return [
    ...problems,
    ...ratioProblems(
      { ratio: amount('maxLimitRequestRatio'), min: amount('min'), max: amount('max') },
      `${field}.maxLimitRequestRatio[${name}]`,
    ),
    ...overcommitted(
      name,
      amount('default'),
      amount('defaultRequest'),
      `${field}.defaultRequest[${name}]`,
    ),
  ];
}

function ratioProblems(
  { ratio, min, max }: Readonly<Record<'ratio' | 'min' | 'max', unknown>>,
  field: string,
): readonly Problem[] {
  if (ratio === undefined) return [];
  const problems =
    compareQuantities(ratio, '1') === -1
      ? [invalidValue(field, ratio, `ratio ${ratio} is less than 1`)]
      : [];
  const [least, most] = [quantityNanos(min), quantityNanos(max)];
  if (least === undefined || most === undefined || least === 0n) return problems;
  const limit = Number(most) / Number(least);
  const isMore = Number(quantityNanos(ratio) ?? 0n) / 1e9 > limit;
  const why = `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`;
  return isMore ? [...problems, invalidValue(field, ratio, why)] : problems;
}

/**
 * Requires that the default request equals the default limit, for resources that cannot be overcommitted,
 * such as GPUs.
 */
function overcommitted(
  name: string,
  limit: unknown,
  request: unknown,
  field: string,
): readonly Problem[] {
  if (!isExtended(name) && !name.startsWith('hugepages-')) return [];
  if (limit === undefined || request === undefined) return [];
  if (compareQuantities(limit, request) === 0) return [];
  const why = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
  return [invalidValue(field, request, why)];
}

const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const COMPUTED = [
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
];
const QUOTAS: ReadonlySet<string> = new Set([
  ...COUNTED,
  ...COMPUTED,
  'ephemeral-storage',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
]);

const OF_PODS = ['pods', ...COMPUTED];
/** The resources that a quota with a scope can limit, keyed by the scope. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  Terminating: OF_PODS,
  NotTerminating: OF_PODS,
  BestEffort: ['pods'],
  NotBestEffort: OF_PODS,
  PriorityClass: OF_PODS,
  CrossNamespacePodAffinity: OF_PODS,
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};

const isQuota = (name: string): boolean =>
  QUOTAS.has(name) || /^requests\.hugepages-|^hugepages-/.test(name);

/** The problems of a ResourceQuota, in the order of `ValidateResourceQuotaSpec` of v1.36. */
export function resourceQuota({ spec }: StoredObject): readonly Problem[] {
  const { hard: amounts, scopes, scopeSelector } = isObject(spec) ? spec : {};
  const hard = isObject(amounts) ? amounts : {};
  const names = Object.keys(hard).sort();
  return [
    ...Object.entries(hard).flatMap(([name, amount]) => hardProblems(name, amount)),
    ...scopesProblems(Array.isArray(scopes) ? scopes : [], names),
    ...selectorProblems(isObject(scopeSelector) ? scopeSelector : undefined, names, scopes),
  ];
}

function hardProblems(name: string, amount: unknown): readonly Problem[] {
  const field = `spec.hard[${name}]`;
  const isUnknown = !name.includes('/') && !isQuota(name);
  const isWhole = (quantityNanos(amount) ?? 0n) % 1_000_000_000n === 0n;
  const isCounted = COUNTED.has(name) || (isExtended(name) && !name.startsWith('requests.'));
  return [
    ...resourceName(name, field),
    ...(isUnknown ? [invalidValue(field, name, 'must be a standard resource for quota')] : []),
    ...notNegativeQuantity(amount, field),
    ...(isCounted && !isWhole ? [invalidValue(field, amount, 'must be an integer')] : []),
  ];
}

const CONFLICTING = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

function misapplied(scope: string, names: readonly string[]): readonly string[] {
  const known = SCOPES[scope];
  return known === undefined ? [] : names.filter((name) => isQuota(name) && !known.includes(name));
}

function conflicts(found: readonly unknown[], field: string, shown: unknown): readonly Problem[] {
  return CONFLICTING.filter((pair) => pair.every((scope) => found.includes(scope))).map(() =>
    invalidValue(field, shown ?? null, 'conflicting scopes'),
  );
}

function scopesProblems(scopes: readonly unknown[], names: readonly string[]): readonly Problem[] {
  const field = 'spec.scopes';
  return [
    ...scopes.flatMap((scope) => [
      ...(String(scope) in SCOPES ? [] : [invalidValue(field, scopes, 'unsupported scope')]),
      ...misapplied(String(scope), names).map(() =>
        invalidValue(field, scopes, 'unsupported scope applied to resource'),
      ),
    ]),
    ...conflicts(scopes, field, scopes),
  ];
}

function selectorProblems(
  selector: Json | undefined,
  names: readonly string[],
  scopes: unknown,
): readonly Problem[] {
  if (selector === undefined) return [];
  const field = 'spec.scopeSelector.matchExpressions';
  const expressions = itemsOf(selector.matchExpressions);
  const shown = internalJson('io.k8s.api.core.v1.ScopeSelector', selector);
  return [
    ...expressions.flatMap((expression) => [
      ...(String(expression.scopeName) in SCOPES
        ? []
        : [invalidValue(`${field}.scopeName`, expression.scopeName ?? '', 'unsupported scope')]),
      ...misapplied(String(expression.scopeName), names).map(() =>
        invalidShown(field, shown, 'unsupported scope applied to resource'),
      ),
      ...expressionProblems(expression, field),
    ]),
    ...conflicts(
      expressions.map(({ scopeName }) => scopeName),
      field,
      scopes,
    ),
  ];
}

const VALUED = ['PriorityClass', 'VolumeAttributesClass'];

function expressionProblems({ scopeName, operator = '', values }: Json, field: string) {
  const problems: Problem[] = [];
  const isPlain = String(scopeName) in SCOPES && !VALUED.includes(String(scopeName));
  if (isPlain && operator !== 'Exists') {
    const why =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    problems.push(invalidValue(`${field}.operator`, operator, why));
  }
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return isEmpty(values) ? [...problems, required(`${field}.values`, why)] : problems;
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return isEmpty(values) ? problems : [...problems, invalidValue(`${field}.values`, values, why)];
  }
  return [
    ...problems,
    invalidValue(`${field}.operator`, operator, 'not a valid selector operator'),
  ];
}

export const changedQuota: ChangeCheck = (object, previous) => {
  const scopesOf = ({ spec }: StoredObject): readonly unknown[] =>
    isObject(spec) && Array.isArray(spec.scopes) ? spec.scopes : [];
  const [now, then] = [scopesOf(object), scopesOf(previous)];
  const isSame =
    now.every((scope) => then.includes(scope)) && then.every((scope) => now.includes(scope));
  return isSame ? [] : [invalidValue('spec.scopes', now, IMMUTABLE)];
};
