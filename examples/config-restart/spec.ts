import { messageOf, parseSelector, type Selector, selectorFromObject } from 'chancery';
import { type Demand, Refused, type RestartOn, type Strategy } from './watcher.ts';

const STRATEGIES: readonly Strategy[] = ['rollout', 'evict', 'delete'];
const RESTART_ON: readonly RestartOn[] = ['data', 'any'];

/** Characters of a selector in text form. A user of one namespace writes it, and it is kept in memory. */
export const MAX_SELECTOR_CHARACTERS = 16_384;
/** Requirements of a selector, and values in them. */
export const MAX_SELECTOR_PARTS = 1_000;
/** Characters of a value that a message quotes. */
const MAX_QUOTED = 80;

/** Long enough for `kubectl apply` of a few files, short enough that nobody waits for it. */
const DEFAULT_DEBOUNCE_SECONDS = 1;
const MAX_DEBOUNCE_SECONDS = 300;

/** The fields of a watcher's `spec`, as the custom resources and the documents have them. */
const FIELDS = ['configMap', 'podSelector', 'selector', 'strategy', 'debounceSeconds', 'restartOn'];

/** `spec` as a record of fields. @throws Refused when it is anything else. */
export function specFields(spec: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(spec)) throw new Refused('InvalidSpec', 'spec must be a mapping of fields');
  return spec;
}

/** @throws Refused for a field that no watcher has: where no schema is there to say it. */
export function refuseUnknownFields(spec: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(spec).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    throw new Refused('InvalidSpec', `unknown field ${unknown}; known are ${FIELDS.join(', ')}`);
  }
}

/**
 * What a `spec` asks for.
 *
 * `podSelector` and `selector` must both hold where both are given.
 *
 * @throws Refused that says what was expected.
 */
export function demandOfSpec(spec: Readonly<Record<string, unknown>>): Demand {
  const selector = [...fromMap(spec.podSelector), ...fromLabelSelector(spec.selector)];
  return { selector: usable(selector), ...optionsOf(spec) };
}

/** What a selector in text form asks for, with its options. @throws Refused, as above. */
export function demandOfText(text: string, options: Readonly<Record<string, unknown>>): Demand {
  if (text.length > MAX_SELECTOR_CHARACTERS) {
    const problem = `the selector has ${text.length} characters, more than ${MAX_SELECTOR_CHARACTERS}`;
    throw new Refused('InvalidSelector', problem);
  }
  return { selector: usable(checked(() => parseSelector(text))), ...optionsOf(options) };
}

/** True for what the API server accepts as the name of a ConfigMap. */
export function isConfigMapName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 253 &&
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(value)
  );
}

function optionsOf(fields: Readonly<Record<string, unknown>>): Omit<Demand, 'selector'> {
  return {
    strategy: oneOf('strategy', STRATEGIES, fields.strategy ?? 'rollout'),
    restartOn: oneOf('restartOn', RESTART_ON, fields.restartOn ?? 'data'),
    debounceMs: secondsOf(fields.debounceSeconds ?? DEFAULT_DEBOUNCE_SECONDS) * 1_000,
  };
}

function oneOf<T extends string>(field: string, allowed: readonly T[], value: unknown): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new Refused(
    'InvalidSpec',
    `${field} must be one of ${allowed.join(', ')}, not ${shown(value)}`,
  );
}

/** Annotations are text, so that text with a number is as good as a number. */
function secondsOf(value: unknown): number {
  const isText = typeof value === 'string' && value.trim() !== '';
  const seconds = isText || typeof value === 'number' ? Number(value) : Number.NaN;
  if (seconds >= 0 && seconds <= MAX_DEBOUNCE_SECONDS) return seconds;
  throw new Refused(
    'InvalidSpec',
    `debounceSeconds must be a number from 0 to ${MAX_DEBOUNCE_SECONDS}, not ${shown(value)}`,
  );
}

/** An empty selector means every Pod of the namespace to the API server, and never to a person. */
function usable(selector: Selector): Selector {
  if (selector.length === 0)
    throw new Refused('EmptySelector', 'the selector is empty and would select every Pod');
  const parts = selector.reduce((sum, { values }) => sum + 1 + values.length, 0);
  if (parts <= MAX_SELECTOR_PARTS) return selector;
  const problem = `the selector has ${parts} requirements and values, more than ${MAX_SELECTOR_PARTS}`;
  throw new Refused('InvalidSelector', problem);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

function fromMap(labels: unknown): Selector {
  if (labels === undefined || labels === null) return [];
  if (!isRecord(labels)) throw new Refused('InvalidSelector', 'podSelector must be a mapping');
  for (const [key, value] of Object.entries(labels)) {
    if (typeof value === 'string') continue;
    throw new Refused('InvalidSelector', `podSelector.${key} must be text: put it in quotes`);
  }
  const matchLabels = labels as Record<string, string>;
  return checked(() => selectorFromObject({ matchLabels }));
}

function fromLabelSelector(selector: unknown): Selector {
  if (selector === undefined || selector === null) return [];
  if (!isRecord(selector)) throw new Refused('InvalidSelector', 'selector must be a mapping');
  const { matchLabels, matchExpressions = [], ...unknown } = selector;
  const [field] = Object.keys(unknown);
  if (field !== undefined) throw new Refused('InvalidSelector', `unknown field selector.${field}`);
  if (!Array.isArray(matchExpressions) || !matchExpressions.every(isExpression)) {
    throw new Refused('InvalidSelector', 'selector.matchExpressions must list key and operator');
  }
  return [...fromMap(matchLabels), ...checked(() => selectorFromObject({ matchExpressions }))];
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function isExpression(value: unknown): value is Expression {
  if (!isRecord(value)) return false;
  const { key, operator, values = [] } = value;
  return (
    typeof key === 'string' &&
    typeof operator === 'string' &&
    Array.isArray(values) &&
    values.every((entry) => typeof entry === 'string')
  );
}

function checked(read: () => Selector): Selector {
  try {
    return read();
  } catch (error) {
    throw new Refused('InvalidSelector', messageOf(error));
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
