import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { type ChangeCheck, changed, immutable } from './fields/change.ts';
import { isEmpty } from './fields/check.ts';
import { labelKey } from './fields/formats.ts';
import { internalJson } from './fields/internal-json.ts';
import { invalidValue, type Problem, required } from './fields/problem.ts';

/**
 * Limits for the strings of an Event, in bytes. Some of the server's messages speak of characters, although
 * they mean bytes.
 */
const MAX_WORD_BYTES = 128;
const MAX_NOTE_BYTES = 1_024;

/** The API through which an Event was sent. The core API checks less. */
export type EventApi = 'core' | 'events';

/** The rules for every Event, in its storage format (a core Event). */
export function eventProblems(event: StoredObject, api: EventApi): readonly Problem[] {
  return isEmpty(event.eventTime) ? placed(event) : described(event, api);
}

/**
 * Requires that an Event is in the namespace of its object, or in `default` if the object has no namespace.
 */
function placed(event: StoredObject): readonly Problem[] {
  const involved = String(involvedOf(event).namespace ?? '');
  const { namespace = '' } = event.metadata;
  if (involved === '' ? namespace === '' || namespace === 'default' : involved === namespace) {
    return [];
  }
  return [invalidValue('involvedObject.namespace', involved, 'does not match event.namespace')];
}

/** The namespaces in which Events about objects without a namespace may be. */
const OPEN_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system']);

/** Requires a reporter, an action and a reason in an Event that has an `eventTime`. */
function described(event: StoredObject, api: EventApi): readonly Problem[] {
  const controller = api === 'core' ? 'reportingComponent' : 'reportingController';
  const name = String(event.reportingComponent ?? '');
  const isLost =
    isEmpty(involvedOf(event).namespace) && !OPEN_NAMESPACES.has(event.metadata.namespace ?? '');
  const why = 'does not match event.namespace';
  return [
    ...(isLost ? [invalidValue('involvedObject.namespace', '', why)] : []),
    ...(name === '' ? [required(controller)] : []),
    ...labelKey(name).map((why) => invalidValue(controller, name, why)),
    ...(isEmpty(event.reportingInstance) ? [required('reportingInstance')] : []),
    ...tooLong(event, 'reportingInstance', MAX_WORD_BYTES),
    ...(isEmpty(event.action) ? [required('action')] : []),
    ...tooLong(event, 'action', MAX_WORD_BYTES),
    ...(isEmpty(event.reason) ? [required('reason')] : []),
    ...tooLong(event, 'reason', MAX_WORD_BYTES),
    ...tooLong(event, 'message', MAX_NOTE_BYTES),
  ];
}

function tooLong(event: StoredObject, field: string, limit: number): readonly Problem[] {
  if (Buffer.byteLength(String(event[field] ?? '')) <= limit) return [];
  return [invalidValue(field, '', `can have at most ${limit} characters`)];
}

/** The additional rules of `events.k8s.io` for a new Event. */
export function newEventProblems(event: StoredObject): readonly Problem[] {
  const type = String(event.type ?? '');
  const problems = [...seriesProblems(event)];
  if (isEmpty(event.eventTime)) problems.push(required('eventTime'));
  if (type !== 'Normal' && type !== 'Warning') {
    problems.push(invalidValue('type', '', `has invalid value: ${type}`));
  }
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count', 'source']) {
    const value = event[field];
    const unset =
      isEmpty(value) || value === 0 || (isObject(value) && Object.values(value).every(isEmpty));
    if (!unset) problems.push(invalidValue(field, '', 'needs to be unset'));
  }
  return problems;
}

function seriesProblems({ series }: StoredObject): readonly Problem[] {
  if (!isObject(series)) return [];
  const few = Number(series.count ?? 0) < 2;
  return [
    ...(few ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(isEmpty(series.lastObservedTime) ? [required('series.lastObservedTime')] : []),
  ];
}

const FIXED = [
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
];
const REPORTERS: Readonly<Record<string, string>> = {
  reportingComponent: 'reportingController',
  reportingInstance: 'reportingInstance',
};

/** Refuses a change of an Event, except of its `series`. */
export const changedNewEvent: ChangeCheck = (event, previous) => [
  ...(changed(event, previous, ['series']) ? seriesProblems(event) : []),
  ...immutable(['involvedObject'], shownReference)(event, previous),
  ...immutable(FIXED)(event, previous),
  ...immutable(['related'], shownReference)(event, previous),
  ...immutable(Object.keys(REPORTERS))(event, previous).map((problem) => ({
    ...problem,
    field: REPORTERS[problem.field] ?? problem.field,
  })),
];

function shownReference(value: unknown): string {
  return value === undefined ? 'null' : internalJson('io.k8s.api.core.v1.ObjectReference', value);
}

function involvedOf({ involvedObject }: StoredObject): Json {
  return isObject(involvedObject) ? involvedObject : {};
}
