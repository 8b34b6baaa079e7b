import { isObject, type Json, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** The names that the fields of a core Event have in events.k8s.io/v1, in the order of that kind. */
const NAMES: readonly (readonly [shown: string, stored: string])[] = [
  ['eventTime', 'eventTime'],
  ['series', 'series'],
  ['reportingController', 'reportingComponent'],
  ['reportingInstance', 'reportingInstance'],
  ['action', 'action'],
  ['reason', 'reason'],
  ['regarding', 'involvedObject'],
  ['related', 'related'],
  ['note', 'message'],
  ['type', 'type'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** Events are stored as core Events and shown in two shapes. */
export const EVENT_SHAPE: NonNullable<ServedResource['shape']> = {
  toStored(event: StoredObject): StoredObject {
    const core: Record<string, unknown> = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: event.metadata,
    };
    for (const [shown, stored] of NAMES) {
      if (event[shown] !== undefined) core[stored] = event[shown];
    }
    return core as unknown as StoredObject;
  },

  fromStored(event: StoredObject): StoredObject {
    const shown: Record<string, unknown> = {
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      metadata: event.metadata,
    };
    for (const [name, stored] of NAMES) {
      // Go leaves out an empty text.
      if (event[stored] !== undefined && event[stored] !== '') shown[name] = event[stored];
    }
    return shown as unknown as StoredObject;
  },
};

/** What Go writes of an Event even where there is nothing to say. */
export function completeEvent(event: StoredObject): StoredObject {
  return withFields(event, {
    involvedObject: reference(event.involvedObject),
    related: event.related === undefined ? undefined : reference(event.related),
    source: event.source ?? {},
    firstTimestamp: event.firstTimestamp ?? null,
    lastTimestamp: event.lastTimestamp ?? null,
    eventTime: event.eventTime ?? null,
    reportingComponent: event.reportingComponent ?? '',
    reportingInstance: event.reportingInstance ?? '',
  });
}

const REFERENCE_ORDER = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
];

/** A core ObjectReference in the order of its struct. */
function reference(value: unknown): Json {
  if (!isObject(value)) return {};
  const present = REFERENCE_ORDER.filter((field) => value[field] !== undefined);
  return Object.fromEntries(present.map((field) => [field, value[field]]));
}
