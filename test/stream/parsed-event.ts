import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { ProtocolError } from '../../operator/core/errors.ts';
import type { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { scanEvent } from '../../operator/stream/decode.ts';
import type { EntryOptions } from '../../operator/stream/entry-of-bytes.ts';
import { identityOf } from '../support/text-entry.ts';

const GIVEN = { apiVersion: 'example.dev/v1', kind: 'Given' };

/** With `metadata.managedFields` and without, and with apiVersion and kind in place of the object's own. */
export const WAYS: readonly EntryOptions[] = [
  { dropManagedFields: true },
  { dropManagedFields: false },
  { dropManagedFields: true, form: GIVEN },
  { dropManagedFields: false, form: GIVEN },
];

type Form = Pick<KubernetesObject, 'apiVersion' | 'kind'>;

interface Scanned {
  readonly type: string;
  readonly entry: Entry;
  /** What the object says of itself, whatever it is given. */
  readonly own: Form | undefined;
}

/** The event of a line, if it is told without parsing it. */
export function scan(line: string, way: EntryOptions = { dropManagedFields: true }) {
  return scanBytes(Buffer.from(line), way);
}

/** The same of bytes. */
export function scanBytes(bytes: Buffer, way: EntryOptions, end = bytes.length, start = 0) {
  let own: Form | undefined;
  const event = scanEvent(bytes, start, end, way, ({ apiVersion, kind }) => {
    own = { apiVersion, kind };
    return false;
  });
  if (event === 'foreign') expect.unreachable('nothing is foreign');
  return event && ({ ...event, own } satisfies Scanned);
}

interface ParsedEvent {
  readonly type: string;
  readonly object: KubernetesObject;
}

/** What the line says, decoded without the code under test. */
function parsed(line: string): ParsedEvent | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The object as `way` wants it. */
function wantedOf({ object }: ParsedEvent, { dropManagedFields, form }: EntryOptions) {
  const wanted = { ...object, ...form };
  if (!dropManagedFields || typeof wanted.metadata !== 'object') return wanted;
  const metadata = { ...wanted.metadata };
  delete metadata.managedFields;
  return { ...wanted, metadata };
}

/** Nothing but apiVersion and kind comes before the metadata, and neither of them behind. */
function isFormFirst(object: KubernetesObject): boolean {
  const before = Object.keys(object);
  before.splice(before.indexOf('metadata'));
  return before.length === 2 && before.every((name) => name === 'apiVersion' || name === 'kind');
}

/** What comes of reading; undefined for a refusal, which must be one to be reported. */
function outcomeOf<R>(read: () => R): R | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ code: 'DECODE' });
    return undefined;
  }
}

/**
 * Fails unless the line is told without parsing it: type and identity at once, metadata and object when
 * they are asked for, all of it as parsing tells it. An object that is given a form is to be parsed where
 * its own does not come first.
 */
export function expectScanned(given: string): void {
  // As the bytes say it: half a character has none of its own.
  const line = given.toWellFormed();
  const event = parsed(line);
  if (event === undefined) expect.fail(`no JSON: ${line}`);
  for (const way of WAYS) {
    const scanned = scan(line, way);
    if (way.form !== undefined && !isFormFirst(event.object)) {
      expect(scanned).toBeUndefined();
      continue;
    }
    if (scanned === undefined) expect.fail(`not told: ${line}`);
    const wanted = wantedOf(event, way);
    const { apiVersion, kind } = event.object;

    const { type, entry, own } = scanned;

    expect(type).toBe(event.type);
    expect(own).toEqual({ apiVersion, kind });
    expect(saidBy(entry)).toEqual(identityOf(event.object));
    expect(entry.textLength).toBeGreaterThan(0);
    expectSame(entry.metadata, wanted.metadata);
    expectSame(entry.object, wanted);
    expect(entry.metadata).toBe(entry.object.metadata);
    expectSame(JSON.parse(entry.text ?? ''), wanted);
  }
}

/**
 * Fails if anything that scanning a line leads to is another than what parsing it leads to: it may be
 * left to be parsed, and reading its object may be refused, but what is read is right. A line that is
 * no JSON reads as nothing, unless the fault may lie in managedFields that are left out.
 *
 * @returns whether it was told without parsing it.
 */
export function expectNeverWrong(given: string): boolean {
  const line = given.toWellFormed();
  const event = parsed(line);
  const told = WAYS.map((way) => {
    const scanned = scan(line, way);
    if (scanned === undefined) return false;
    const metadata = outcomeOf(() => scan(line, way)?.entry.metadata);
    const object = outcomeOf(() => scanned.entry.object);
    expect(scanned.entry.isUnreadable).toBe(object === undefined);
    if (object === undefined) return true;
    if (event === undefined) {
      expect(way.dropManagedFields && line.includes('"managedFields":')).toBe(true);
      return true;
    }
    const wanted = wantedOf(event, way);
    const { apiVersion, kind } = event.object;
    expect(scanned.type).toBe(event.type);
    expect(scanned.own).toEqual({ apiVersion, kind });
    expectSame(object, wanted);
    expect(saidBy(scanned.entry)).toEqual(identityOf(object));
    expectSame(metadata, wanted.metadata);
    return true;
  });
  const [dropped, kept, droppedAndGiven, keptAndGiven] = told;
  expect([dropped, droppedAndGiven]).toEqual([kept, keptAndGiven]);
  expect(droppedAndGiven && !dropped).toBe(false);
  return dropped === true;
}

function saidBy({ key, uid, resourceVersion }: Entry): unknown {
  return { key, uid, resourceVersion };
}

/** As `toEqual`, which sees no member `__proto__`. */
function expectSame(got: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(got, wanted)) expect(got).toStrictEqual(wanted);
  expect(isDeepStrictEqual(got, wanted)).toBe(true);
}
