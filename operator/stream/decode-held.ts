import { HeldObject } from '../model/held-object.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import { type DecodeOptions, decodedBatches, decodeLine, isForeign } from './decode.ts';
import { scanEvent } from './scan-event.ts';

/**
 * As `decodeWatchEvents`, of lines as bytes: objects are `HeldObject`s, without their managedFields,
 * where the line is as kube-apiserver writes it, and parsed where it is not.
 *
 * Text that is no JSON is found when the object is read, where it lies within the object and not
 * around it; all else as there.
 */
export function decodeHeldEvents<T extends KubernetesObject>(
  lines: AsyncIterable<readonly Buffer[]>,
  options: Omit<DecodeOptions, 'given'> = {},
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  return decodedBatches(lines, (line: Buffer) => decodeHeld<T>(line, options));
}

function decodeHeld<T extends KubernetesObject>(
  line: Buffer,
  options: DecodeOptions,
): WatchEvent<T> | Error | undefined {
  const scanned = scanEvent(line);
  if (scanned === undefined) return decodeLine<T>(line.toString('utf8'), options);
  if (isForeign(scanned, options)) return undefined;
  const object: KubernetesObject = new HeldObject(scanned, scanned.text);
  return { type: scanned.type, object: object as T };
}
