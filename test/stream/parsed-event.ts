import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { scanEvent } from '../../operator/stream/scan-event.ts';

/** What parsing a line says of it, in the form of what scanning says. */
export function parsedEvent(line: string): unknown {
  const { type, object } = JSON.parse(line);
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const { apiVersion, kind } = object;
  delete object.metadata.managedFields;
  const text = expect.toSatisfy((given: string) => isDeepStrictEqual(JSON.parse(given), object));
  return { type, apiVersion, kind, name, namespace, uid, resourceVersion, text };
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/**
 * Fails if scanning answers anything but what parsing answers, or answers for a line that is not JSON
 * with a text that is, unless the fault may lie in managedFields. Says whether it answered.
 */
export function expectNeverWrong(given: string): boolean {
  // As the bytes say it: half a character has none of its own.
  const line = given.toWellFormed();
  const event = scanEvent(Buffer.from(line));
  if (event === undefined) return false;
  if (isJson(line)) expect(event).toEqual(parsedEvent(line));
  else if (!line.includes('"managedFields":')) expect(isJson(event.text)).toBe(false);
  return true;
}
