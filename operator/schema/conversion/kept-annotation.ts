import { goJson } from '../../core/go/go-json.ts';
import { parseExact } from '../../core/json/parse-exact.ts';
import { isMapping } from '../../core/mapping.ts';
import { jsonCopy } from './json-data.ts';
import type { KeptField } from './kept-fields.ts';

/**
 * Maximum size in bytes of an annotation that stores fields which a version cannot express. All annotations
 * of an object may have 262,144 bytes in total, and the user's annotations need room, too.
 */
const MAX_KEPT_BYTES = 131_072;

/** The name of the annotation with the fields of `version` that the object's own version cannot express. */
export function keptAnnotation(version: string): string {
  return `chancery.dev/only-in-${version}`;
}

/**
 * The value of the annotation.
 *
 * @throws RangeError when the value would have more than 131,072 bytes. The message contains both sizes.
 */
export function keptText(kept: readonly KeptField[]): string {
  const text = goJson(kept);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_KEPT_BYTES) return text;
  throw new RangeError(`take ${bytes} bytes of an annotation, which may have ${MAX_KEPT_BYTES}`);
}

/**
 * The fields in the annotation. Entries that cannot be read are skipped. Otherwise any user who may change
 * the annotations of one object could make all objects of its kind unreadable.
 */
export function keptFrom(text: string | undefined): readonly KeptField[] {
  if (text === undefined || Buffer.byteLength(text) > MAX_KEPT_BYTES) return [];
  try {
    const entries = jsonCopy(parseExact(text));
    return Array.isArray(entries) ? entries.filter(isKeptField) : [];
  } catch {
    return []; // not JSON, or nested too deeply
  }
}

function isKeptField(entry: unknown): entry is KeptField {
  if (!isMapping(entry)) return false;
  const { path, at = 0 } = entry;
  return (
    Array.isArray(path) &&
    path.length > 0 &&
    path.every(isStep) &&
    !OBJECT_FIELD_NAMES.includes(String(path[0])) &&
    Number.isInteger(at)
  );
}

const OBJECT_FIELD_NAMES: readonly string[] = ['apiVersion', 'kind', 'metadata'];

function isStep(step: unknown): boolean {
  return typeof step === 'string' || (isMapping(step) && Object.keys(step).length > 0);
}
