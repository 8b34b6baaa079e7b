import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { ProtocolError } from '../../operator/core/errors.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { type HeldEvent, scanEvent } from '../../operator/stream/scan-event.ts';

/** With `metadata.managedFields`, and without. */
const WAYS = [{ dropManagedFields: true }, { dropManagedFields: false }] as const;

type Way = (typeof WAYS)[number];

/** The event of a line, if it is told without parsing it. */
export function scan(line: string, way: Way = WAYS[0]): HeldEvent | undefined {
  const bytes = Buffer.from(line);
  return scanEvent(bytes, 0, bytes.length, way);
}

interface ParsedEvent {
  readonly type: string;
  readonly object: KubernetesObject;
}

function parsed(line: string, { dropManagedFields }: Way): ParsedEvent | undefined {
  try {
    const event = JSON.parse(line);
    if (dropManagedFields) delete event.object?.metadata?.managedFields;
    return event;
  } catch {
    return undefined;
  }
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
 * they are read, all of it as parsing tells it.
 */
export function expectHeld(given: string): void {
  // As the bytes say it: half a character has none of its own.
  const line = given.toWellFormed();
  for (const way of WAYS) {
    const wanted = parsed(line, way);
    const event = scan(line, way);
    if (event === undefined || wanted === undefined) expect.fail(`not told: ${line}`);
    const { apiVersion, kind, metadata } = wanted.object;
    const { name, namespace, uid, resourceVersion } = metadata;
    const names = namespace === undefined ? { name } : { name, namespace };

    const { type, object } = event;

    expect(type).toBe(wanted.type);
    const said = { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
    expect(said).toEqual({
      apiVersion,
      kind,
      metadata: { ...names, uid, resourceVersion },
    });
    expect(object.textLength).toBeGreaterThan(0);
    expectSame(object.readMetadata(), metadata);
    expectSame(object.read(), wanted.object);
    expect(object.readMetadata()).toBe(object.read().metadata);
  }
}

/**
 * Fails if anything that scanning a line leads to is another than what parsing it leads to: it may be
 * left to be parsed, and reading its object may be refused, but what is read is right. A line that is
 * no JSON reads as nothing, unless the fault may lie in managedFields that are dropped.
 *
 * @returns whether it was told without parsing it.
 */
export function expectNeverWrong(given: string): boolean {
  const line = given.toWellFormed();
  const told = WAYS.map((way) => {
    const event = scan(line, way);
    if (event === undefined) return false;
    const wanted = parsed(line, way);
    const metadata = outcomeOf(() => scan(line, way)?.object.readMetadata());
    const object = outcomeOf(() => event.object.read());
    expect(event.object.isUnreadable).toBe(object === undefined);
    if (object === undefined) return true;
    if (wanted === undefined) {
      expect(way.dropManagedFields && line.includes('"managedFields":')).toBe(true);
      return true;
    }
    expect(event.type).toBe(wanted.type);
    expectSame(object, wanted.object);
    expectSame(pick(event.object), pick(object));
    expectSame(metadata, wanted.object.metadata);
    return true;
  });
  expect(told[0]).toBe(told[1]);
  return told[0] === true;
}

function pick({ apiVersion, kind, metadata }: KubernetesObject): unknown {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}

/** As `toEqual`, which sees no member `__proto__`. */
function expectSame(got: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(got, wanted)) expect(got).toStrictEqual(wanted);
  expect(isDeepStrictEqual(got, wanted)).toBe(true);
}
