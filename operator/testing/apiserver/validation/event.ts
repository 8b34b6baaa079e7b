import { isDeepStrictEqual } from 'node:util';
import type { StoredObject } from '../cluster-access.ts';
import type { FieldError } from '../failures.ts';
import { valueAt } from '../objects/metadata.ts';

/** Limits of events.k8s.io/v1; those of the texts count bytes. */
const MAX_REASON_BYTES = 128;
const MAX_NOTE_BYTES = 1_024;

/** What is wrong with an Event that came through events.k8s.io, in its stored shape. */
export function validateNewEvent(
  event: StoredObject,
  previous: StoredObject | undefined,
): readonly FieldError[] {
  if (previous !== undefined) return immutableProblems(event, previous);
  const problems = [...involvedNamespace(event)];
  if (event.eventTime === null || event.eventTime === undefined) {
    problems.push({ field: 'eventTime', reason: 'FieldValueRequired', message: 'Required value' });
  }
  const type = String(event.type ?? '');
  if (type !== 'Normal' && type !== 'Warning') {
    problems.push(invalidValue('type', type, `has invalid value: ${type}`));
  }
  problems.push(...tooLong(event, 'reason', MAX_REASON_BYTES));
  problems.push(...tooLong(event, 'action', MAX_REASON_BYTES));
  problems.push(...tooLong(event, 'message', MAX_NOTE_BYTES));
  const count = valueAt(event, ['series', 'count']);
  if (typeof count === 'number' && count < 2) {
    problems.push(invalidValue('series.count', count, 'should be at least 2'));
  }
  return problems;
}

/** An Event lies in the namespace of what it is about, or in `default`. */
export function involvedNamespace(event: StoredObject): FieldError[] {
  const involved = String(valueAt(event, ['involvedObject', 'namespace']) ?? '');
  const { namespace } = event.metadata;
  const clusterScoped = involved === '' && valueAt(event, ['involvedObject', 'kind']) !== undefined;
  if (involved === namespace || clusterScoped) return [];
  return [invalidValue('involvedObject.namespace', involved, 'does not match event.namespace')];
}

/** Only the series of an Event changes. */
const FIXED = ['involvedObject', 'reason', 'message', 'type', 'action', 'eventTime', 'related'];

function immutableProblems(event: StoredObject, previous: StoredObject): readonly FieldError[] {
  return FIXED.filter((field) => !isDeepStrictEqual(event[field], previous[field])).map((field) =>
    invalidValue(field, event[field], 'field is immutable'),
  );
}

function tooLong(event: StoredObject, field: string, limit: number): FieldError[] {
  if (Buffer.byteLength(String(event[field] ?? '')) <= limit) return [];
  const shown = field === 'message' ? 'note' : field;
  return [invalidValue(shown, '', `can have at most ${limit} characters`)];
}

function invalidValue(field: string, value: unknown, why: string): FieldError {
  const message = `Invalid value: ${JSON.stringify(value)}: ${why}`;
  return { field, reason: 'FieldValueInvalid', message };
}
