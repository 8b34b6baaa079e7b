import { valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { ageOf } from './age.ts';
import { NAME, text } from './cell.ts';
import { column, type TableColumn, WIDE } from './column.ts';

function firstSeen({ firstTimestamp, eventTime }: StoredObject): unknown {
  return firstTimestamp ?? eventTime;
}

/**
 * The time of the last occurrence, from the series if there is one, and otherwise from the fields of the
 * older API.
 */
function lastSeen(event: StoredObject): unknown {
  const series = valueAt(event, ['series', 'lastObservedTime']);
  return series ?? event.lastTimestamp ?? firstSeen(event);
}

function involvedObject({ involvedObject: object }: StoredObject): string {
  const kind = String(valueAt(object, ['kind']) ?? '').toLowerCase();
  const name = valueAt(object, ['name']);
  return name ? `${kind}/${name}` : kind;
}

/** The reporting controller and its instance, from the fields of the older or the newer API. */
function source(event: StoredObject): string {
  const component = valueAt(event, ['source', 'component']) || event.reportingComponent || '';
  const instance = valueAt(event, ['source', 'host']) || event.reportingInstance || '';
  return instance === '' ? String(component) : `${component}, ${instance}`;
}

/** The columns of the Events of both APIs. They read stored Events, which are core Events. */
export const EVENT_COLUMNS: readonly TableColumn[] = [
  column('Last Seen', (event, nowMs) => ageOf(lastSeen(event), nowMs)),
  column('Type', text('type')),
  column('Reason', text('reason')),
  column('Object', involvedObject),
  column('Subobject', text('involvedObject.fieldPath'), WIDE),
  column('Source', source, WIDE),
  column('Message', (event) => String(event.message ?? '').trim()),
  column('First Seen', (event, nowMs) => ageOf(firstSeen(event), nowMs), WIDE),
  column(
    'Count',
    (event) => Number(valueAt(event, ['series', 'count']) ?? (event.count || 1)),
    WIDE,
  ),
  { ...NAME, priority: 1 },
];
