import { inSlices } from 'chancery/internal';
import { DocumentError, shownName } from '../results/document-error.ts';
import { readJsonFile } from '../results/read-documents.ts';
import type { MetricOperation } from './metric-operation.ts';

const FIELDS: ReadonlySet<string> = new Set([
  'name',
  'action',
  'add',
  'set',
  'value',
  'buckets',
  'labels',
  'group',
]);

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
/** Matches the name of a label. Prometheus reserves names that begin with `__`. */
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * The operations of a metrics file. The file contains JSON objects, usually one per line.
 *
 * @param onWarning - called for a field that has no effect.
 * @throws DocumentError for the first operation that violates the contract; `signal.reason` when
 * aborted.
 */
export async function checkMetrics(
  text: string,
  onWarning: (problem: string) => void,
  signal: AbortSignal,
): Promise<readonly MetricOperation[]> {
  return await inSlices(await readJsonFile(text, signal), (value, at) => {
    try {
      return operationOf(value, onWarning);
    } catch (error) {
      if (error instanceof MetricFieldError) throw new DocumentError(at + 1, error.message);
      throw error;
    }
  });
}

/**
 * Limits of one operation. Series stay in memory, and every scrape writes them. Without limits, the
 * labels or buckets of 10,000 series could take all memory.
 */
const MAX_LABELS = 32;
const MAX_BUCKETS = 100;
const MAX_TEXT_CHARS = 1_024;

/** A field does not have the type or value that its operation needs. */
class MetricFieldError extends Error {}

type Fields = Readonly<Record<string, unknown>>;

function operationOf(value: unknown, onWarning: (problem: string) => void): MetricOperation {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MetricFieldError('must be an object');
  }
  // As in Go, null counts as a missing field.
  const fields: Fields = Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== null),
  );
  for (const field of Object.keys(fields)) {
    if (!FIELDS.has(field)) onWarning(`a metric has no field ${shownName(field)}`);
  }
  const group = groupIn(fields);
  const { action, value: amount } = actionIn(fields);
  if (action === 'expire') {
    if (group === undefined) throw new MetricFieldError('group is missing: expire needs it');
    return { action, group };
  }
  const { name } = fields;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new MetricFieldError('name must be letters, digits, _ and :, and begin with no digit');
  }
  requireShort('name', name);
  const labels = labelsIn(fields);
  if (Object.hasOwn(labels, 'hook')) onWarning('labels.hook is replaced by the name of the hook');
  const key = keyOf(labels);
  if (action !== 'observe')
    return { action, name, value: numberOf(action, amount), labels, key, group };
  if (Object.hasOwn(labels, 'le')) throw new MetricFieldError('labels.le belongs to the buckets');
  return {
    action,
    name,
    value: numberOf(action, amount),
    buckets: bucketsIn(fields),
    labels,
    key,
    group,
  };
}

const ACTIONS = ['add', 'set', 'observe', 'expire'] as const;

/** `{"add": 1}` is short for `{"action": "add", "value": 1}`. */
function actionIn(fields: Fields): {
  readonly action: (typeof ACTIONS)[number];
  readonly value: unknown;
} {
  const written = (['action', 'add', 'set'] as const).filter((field) => field in fields);
  const [field, second] = written;
  if (field === undefined) throw new MetricFieldError('action is missing');
  if (second !== undefined) throw new MetricFieldError(`${field} and ${second} exclude each other`);
  if (field !== 'action') {
    if ('value' in fields) throw new MetricFieldError(`${field} and value exclude each other`);
    return { action: field, value: fields[field] };
  }
  const action = ACTIONS.find((known) => known === fields.action);
  if (action === undefined)
    throw new MetricFieldError(`action must be one of ${ACTIONS.join(', ')}`);
  return { action, value: fields.value };
}

function numberOf(action: string, value: unknown): number {
  if (value === undefined) throw new MetricFieldError(`value is missing: ${action} needs it`);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new MetricFieldError('value must be a number');
  }
  if (action === 'add' && value < 0) {
    throw new MetricFieldError(
      'value must not be negative: a counter only grows. Use set for a gauge',
    );
  }
  return value;
}

function groupIn({ group }: Fields): string | undefined {
  if (group === undefined || group === '') return undefined;
  if (typeof group === 'string') {
    requireShort('group', group);
    return group;
  }
  throw new MetricFieldError('group must be a string');
}

function bucketsIn({ buckets }: Fields): readonly number[] {
  const bounds: unknown = buckets;
  const isUsable =
    Array.isArray(bounds) &&
    bounds.length > 0 &&
    bounds.every(
      (bound, at) => Number.isFinite(bound) && (at === 0 || bound > Number(bounds[at - 1])),
    );
  if (isUsable && bounds.length > MAX_BUCKETS) {
    throw new MetricFieldError(`buckets has more than ${MAX_BUCKETS} bounds`);
  }
  if (isUsable) return bounds as readonly number[];
  throw new MetricFieldError('buckets must be a list of growing numbers: observe needs it');
}

function labelsIn({ labels = {} }: Fields): Readonly<Record<string, string>> {
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) {
    throw new MetricFieldError('labels must be an object');
  }
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) {
    throw new MetricFieldError(`labels has more than ${MAX_LABELS} members`);
  }
  for (const [label, value] of entries) {
    if (!LABEL.test(label)) {
      throw new MetricFieldError(`label ${shownName(label)} is no name of a label`);
    }
    requireShort(`label ${shownName(label)}`, label);
    if (typeof value !== 'string') throw new MetricFieldError(`labels.${label} must be a string`);
    requireShort(`labels.${label}`, value);
  }
  return labels as Readonly<Record<string, string>>;
}

function requireShort(what: string, { length }: string): void {
  if (length <= MAX_TEXT_CHARS) return;
  throw new MetricFieldError(`${what} has more than ${MAX_TEXT_CHARS} characters`);
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  const others = Object.entries(labels).filter(([label]) => label !== 'hook');
  return JSON.stringify(others.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
