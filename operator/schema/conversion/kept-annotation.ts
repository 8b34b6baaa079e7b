import { goJson } from '../../core/go/go-json.ts';
import { parseExact } from '../../core/json/parse-exact.ts';
import { isMapping } from '../../core/mapping.ts';
import { jsonCopy } from './json-data.ts';
import type { KeptField } from './kept-fields.ts';

/**
 * Bytes of an annotation with kept fields. All annotations of an object have 262,144 together, and those of
 * the user must fit beside it.
 */
const MAX_KEPT_BYTES = 131_072;

/** The annotation with the fields of `version` that the version of the object does not express. */
export function keptAnnotation(version: string): string {
  return `chancery.dev/only-in-${version}`;
}

/**
 * The text of the annotation.
 *
 * @throws RangeError that names the sizes, when it would have more than 131,072 bytes.
 */
export function keptText(kept: readonly KeptField[]): string {
  const text = goJson(kept);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_KEPT_BYTES) return text;
  throw new RangeError(`take ${bytes} bytes of an annotation, which may have ${MAX_KEPT_BYTES}`);
}

/**
 * The fields in the annotation. Entries that cannot be read are left out: everybody who may change the
 * annotations of an object could otherwise make all objects of its kind unreadable.
 */
export function keptFrom(text: string | undefined): readonly KeptField[] {
  if (text === undefined || Buffer.byteLength(text) > MAX_KEPT_BYTES) return [];
  try {
    const entries = jsonCopy(parseExact(text));
    return Array.isArray(entries) ? entries.filter(isKeptField) : [];
  } catch {
    return []; // no JSON, or nested too deeply
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
