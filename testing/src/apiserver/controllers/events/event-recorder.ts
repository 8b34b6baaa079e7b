import type { Clock } from 'chancery';
import { ApiError, isNotFound, rfc3339, rfc3339Micro } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { EventCorrelation, type Occurrence, type Report } from './event-correlation.ts';

const EVENTS: ResourceName = 'events';
const NEW_EVENTS: ResourceName = 'events.events.k8s.io';

/** Records an Event about an object. */
export type RecordEvent = (about: StoredObject, report: Report) => void;

/** Discards every Event. A controller that is created without a recorder uses this one. */
export const recordNothing: RecordEvent = () => {};

/**
 * The number of Events recorded so far. It is added to the time in the name of each Event, so that Events of
 * the same millisecond get different names.
 */
let recorded = 0;

/**
 * Records core Events like the controllers of kube-controller-manager. A repeated Event increases its count,
 * and many different messages with one reason become one Event.
 *
 * An Event that the API refuses is dropped. The caller's work continues.
 *
 * @param component - the reporting component, for example `deployment-controller`.
 */
export function eventRecorder(access: ClusterAccess, clock: Clock, component: string): RecordEvent {
  const correlation = new EventCorrelation();
  return (about, report) => {
    const occurrence = correlation.observe(about, report, clock.now());
    if (occurrence === undefined) return;
    unlessRefused(() => write(access, clock, component, about, occurrence));
  };
}

function write(
  access: ClusterAccess,
  clock: Clock,
  component: string,
  about: StoredObject,
  { type, reason, message, entry }: Occurrence,
): void {
  const now = rfc3339(clock.now());
  const { namespace = 'default' } = about.metadata;
  if (entry.count > 1) {
    const again = { count: entry.count, lastTimestamp: now, message };
    try {
      access.patch(EVENTS, namespace, entry.name, again);
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      entry.count = 1; // the Event was deleted
    }
  }
  entry.name = eventName(about, clock);
  access.create(EVENTS, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: entry.name, namespace },
    involvedObject: referenceTo(about),
    reason,
    message,
    source: { component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: '',
  } as StoredObject);
}

/** The reporter of an `events.k8s.io` Event, and the action that the Event describes. */
export interface Reporter {
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
}

/** Records an `events.k8s.io` Event, as the scheduler does. Each call creates a new Event. */
export function newEventRecorder(
  access: ClusterAccess,
  clock: Clock,
  reporter: Reporter,
): RecordEvent {
  return (about, { type = 'Normal', reason, message }) => {
    const { namespace = 'default' } = about.metadata;
    unlessRefused(() =>
      access.create(NEW_EVENTS, {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: eventName(about, clock), namespace },
        eventTime: rfc3339Micro(clock.now()),
        ...reporter,
        reason,
        regarding: referenceTo(about),
        note: message,
        type,
      } as StoredObject),
    );
  };
}

function unlessRefused(act: () => void): void {
  try {
    act();
  } catch (error) {
    // The server refuses Events, for example, in a terminating namespace.
    if (!(error instanceof ApiError)) throw error;
  }
}

/** The object's name followed by the time in nanoseconds, in hexadecimal digits. */
function eventName({ metadata }: StoredObject, clock: Clock): string {
  recorded = (recorded + 1) % 1_000_000;
  const nanoseconds = BigInt(Math.floor(clock.now())) * 1_000_000n + BigInt(recorded);
  return `${metadata.name}.${nanoseconds.toString(16)}`;
}

function referenceTo({ apiVersion, kind, metadata }: StoredObject): object {
  const { namespace, name, uid, resourceVersion } = metadata;
  const within = namespace === undefined ? {} : { namespace };
  return { kind, ...within, name, uid, apiVersion, resourceVersion };
}
