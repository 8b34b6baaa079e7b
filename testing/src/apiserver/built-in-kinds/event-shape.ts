import { isObject, type Json, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/**
 * For each field of a core Event, its name in events.k8s.io/v1. The fields are in the order of
 * events.k8s.io/v1.
 */
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

/** Converts Events, which are stored as core Events and also served by events.k8s.io/v1. */
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
      // Go omits an empty string.
      if (event[stored] !== undefined && event[stored] !== '') shown[name] = event[stored];
    }
    return shown as unknown as StoredObject;
  },
};

/** An Event with the fields that Go always writes. */
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

/** A core ObjectReference, with the fields in the order of its struct. */
function reference(value: unknown): Json {
  if (!isObject(value)) return {};
  const present = REFERENCE_ORDER.filter((field) => value[field] !== undefined);
  return Object.fromEntries(present.map((field) => [field, value[field]]));
}
