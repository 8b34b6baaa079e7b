import type { KubernetesEvent } from '../../model/builtin.ts';
import { rfc3339Micro } from '../../model/condition.ts';
import { isDnsSubdomain } from '../../model/dns-name.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isLabelKey } from '../../model/selector.ts';
import type { EventNote } from './event-recorder.ts';

/** The API server's limits. It counts the note in bytes, although its error message speaks of characters. */
const MAX_NOTE_BYTES = 1_024;
const MAX_WORD = 128;

/**
 * Maximum length of the beginning of an Event's name. A suffix follows, and the whole name is a DNS subdomain
 * of at most 253 characters.
 */
const MAX_NAME_PREFIX = 253 - 1 - 16;

/** Number of different names per millisecond. A name contains a time in nanoseconds. */
const NAMES_PER_MS = 1_000_000;

/** A reference to an object in an Event. */
type ObjectReference = KubernetesEvent['regarding'];

/** The controller that reports the Event, and the process in which it runs. */
interface EventSource {
  readonly reportingController: string;
  readonly reportingInstance: string;
}

/** An Event without its name and time. */
export type EventFacts = Omit<KubernetesEvent, 'metadata' | 'eventTime' | 'series' | 'note'> & {
  readonly note: string;
};

/**
 * The fields of the Event for `given`, corrected so that the API accepts them: an empty reason or action is
 * replaced, and one that is too long is cut.
 *
 * @param mended - called with the name of each field that was changed.
 * @throws TypeError for input that violates the types, such as a note without an object.
 */
export function eventFacts(
  given: EventNote,
  { reportingController, reportingInstance }: EventSource,
  mended: (field: string) => void,
): EventFacts {
  const word = (field: 'reason' | 'action', otherwise: string): string => {
    const text = String(given[field] ?? '').trim();
    if (text === '' || text.length > MAX_WORD) mended(field);
    return text === '' ? otherwise : text.slice(0, MAX_WORD);
  };
  if (given.type !== 'Normal' && given.type !== 'Warning') mended('type');
  const { reporter } = given;
  const isReporter = reporter !== undefined && isReportingController(reporter);
  if (reporter !== undefined && !isReporter) mended('reporter');
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    type: given.type === 'Warning' ? 'Warning' : 'Normal',
    reason: word('reason', 'Unspecified'),
    action: word('action', 'Reconcile'),
    note: cutNote(String(given.note ?? '')),
    reportingController: isReporter ? reporter : reportingController,
    reportingInstance: reportingInstance.slice(0, MAX_WORD),
    regarding: referenceTo(given.regarding),
    ...(given.related !== undefined && { related: referenceTo(given.related) }),
  };
}

/** The API server accepts a qualified name of at most 128 characters, written like a label key. */
function isReportingController(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_WORD && isLabelKey(text);
}

/**
 * Identifies an Event, so that its repetitions can be found: everything except the note and the object
 * versions. Every write of an object changes its version. If versions counted, no Event would ever be a
 * repetition.
 */
export function identityOf(facts: EventFacts): string {
  const { type, action, reason, reportingController, reportingInstance } = facts;
  const { regarding, related } = facts;
  return JSON.stringify([
    ...[type, action, reason, reportingController, reportingInstance],
    nameOfReference(regarding),
    related === undefined ? null : nameOfReference(related),
  ]);
}

/** A reference without its version, as a string. */
export function nameOfReference(reference: ObjectReference): string {
  const { apiVersion, kind, namespace, name, uid } = reference;
  return JSON.stringify([apiVersion, kind, namespace ?? null, name, uid ?? null]);
}

/** Cuts `text` to at most 1,024 bytes of UTF-8, between two characters. */
export function cutNote(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_NOTE_BYTES) return bytes.toString(); // a lone surrogate becomes U+FFFD
  let end = MAX_NOTE_BYTES;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}

/** Creates Events from facts, each with a unique name. */
export class EventObjects {
  #sequence: number;

  /** @param random - a uniform number in [0, 1). */
  constructor(random: number) {
    // The sequence starts at a random number, because two recorders may report on one object at the same
    // time.
    this.#sequence = Math.floor(random * NAMES_PER_MS);
  }

  /**
   * Creates an Event in the namespace of its object, or in `default` when the object has no
   * namespace.
   *
   * @param nowMs - wall time.
   */
  create({ note, ...facts }: EventFacts, nowMs: number): KubernetesEvent {
    const { namespace = 'default' } = facts.regarding;
    const metadata = { name: '', namespace };
    return this.rename({ ...facts, metadata, eventTime: rfc3339Micro(nowMs), note }, nowMs);
  }

  /** The same Event under another name. @param nowMs - wall time. */
  rename(event: KubernetesEvent, nowMs: number): KubernetesEvent {
    const { namespace = 'default' } = event.metadata;
    const name = `${namePrefix(event.regarding.name ?? '')}.${this.#nextSuffix(nowMs)}`;
    return { ...event, metadata: { name, namespace } };
  }

  /** The time in nanoseconds, as in client-go. The sequence makes it unique within a millisecond. */
  #nextSuffix(nowMs: number): string {
    this.#sequence = (this.#sequence + 1) % NAMES_PER_MS;
    return (BigInt(Math.floor(nowMs)) * BigInt(NAMES_PER_MS) + BigInt(this.#sequence)).toString(16);
  }
}

function referenceTo({ apiVersion, kind, metadata }: KubernetesObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  if (typeof name !== 'string' || name === '') throw new TypeError('an Event is about no object');
  return {
    apiVersion,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/**
 * The start of an object's name if an Event's name can begin with it, otherwise `event`. For example, it
 * cannot begin with `system:node`.
 */
function namePrefix(name: string): string {
  const prefix = name.slice(0, MAX_NAME_PREFIX).replace(/[-.]+$/, '');
  return isDnsSubdomain(prefix) ? prefix : 'event';
}
