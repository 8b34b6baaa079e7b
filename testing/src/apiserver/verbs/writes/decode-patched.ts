import { apiVersionOf } from 'chancery/internal-objects';
import { builtInKindName } from '../../built-in-types/built-in-types.ts';
import { failure } from '../../failures/failure.ts';
import { goJson } from '../../objects/canonical.ts';
import type { Fractions } from '../../objects/go-json.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { decodeMetadata, decodeStruct, describeMismatch } from '../../objects/struct-decoder.ts';
import { goText } from '../../patch/apply/applied-problems.ts';
import type { StrategicMerge } from '../../patch/strategic/strategic-merge-patch.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

/** The result of a patch, as the server decodes it. */
export interface DecodedPatch {
  readonly object: StoredObject;
  /** Paths of fields that the kind does not have. */
  readonly unknown: readonly string[];
  /** Returns the string that the server's message quotes when the server refuses the object. */
  readonly quote: () => string;
}

type Expected = Pick<ServedResource, 'group' | 'version' | 'kind'>;

/**
 * The built-in object that results from a JSON patch or a merge patch. Like the server, decodes the result
 * from JSON again, including its kind and version.
 *
 * @param fractions - the numbers of the patch that are invalid in integer fields, keyed by their paths in the
 * object.
 * @throws ApiError 422 for a result that is not an object of this kind.
 */
export function decodeBuiltIn(
  merged: unknown,
  expected: Expected,
  fractions: Fractions,
): DecodedPatch {
  const quote = (): string => goJson(merged);
  const { document, apiVersion, kind } = identified(merged, quote, expected);
  if (apiVersion === '') return internalVersion(document, quote);
  const typeName = builtInKindName(apiVersion, kind);
  const isExpected = kind === expected.kind && apiVersion === apiVersionOf(expected);
  // For some built-in kinds, the Go type is not known here.
  if (typeName === undefined && isExpected) {
    return { object: asObject(document, expected), unknown: [], quote };
  }
  if (typeName === undefined) {
    throw unfit(
      quote,
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${JSON.stringify(SCHEME)}`,
    );
  }
  const { value, unknown, mismatch } = decodeStruct(document, typeName, 'json', fractions);
  if (mismatch !== undefined) throw unfit(quote, describeMismatch(mismatch));
  if (kind !== expected.kind || groupOf(apiVersion) !== expected.group) {
    const from = `${apiVersion.slice(apiVersion.indexOf('/') + 1)}.${kind}`;
    const to = `${internalPackage(expected.group)}.${expected.kind}`;
    throw unfit(quote, `converting (${from}) to (${to}): unknown conversion`);
  }
  return { object: asObject(value, expected), unknown, quote };
}

/**
 * A source line in the server's message. At this line of its source code, the server registers its internal
 * types.
 */
const SCHEME = 'k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30';

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '';
}

/** The Go package of a group's internal types, to which all versions are converted. */
function internalPackage(group: string): string {
  if (group === '' || group === 'events.k8s.io') return 'core';
  return group.split('.', 1)[0] ?? '';
}

/**
 * Decodes a result without an apiVersion. The server decodes such a result into its internal type, whose
 * fields have other names, so no field of the object is kept.
 */
function internalVersion(document: Json, quote: () => string): DecodedPatch {
  const unknown = Object.keys(document).filter((name) => name !== 'kind' && name !== 'apiVersion');
  return { object: { metadata: {} } as StoredObject, unknown, quote };
}

/**
 * The custom object that results from a patch. Only its metadata has a Go type. A changed kind is not refused
 * here, but by validation.
 *
 * @throws ApiError 422 for a result that is not an object, or has invalid metadata.
 */
export function decodeCustom(merged: unknown, served: ServedResource): DecodedPatch {
  const quote = (): string => goJson(merged);
  const { document } = identified(merged, quote, served);
  if (!document.kind) throw unfit(quote, `Object 'Kind' is missing in '${quote()}'`);
  const metadata = document.metadata ?? {};
  if (!isObject(metadata)) {
    const found = Array.isArray(metadata) ? 'array' : typeof metadata;
    const why = `json: cannot unmarshal ${found === 'boolean' ? 'bool' : found} into Go value of type v1.ObjectMeta`;
    throw unfit(quote, why);
  }
  if (document.apiVersion === null) {
    throw unfit(quote, '.apiVersion accessor error: <nil> is of the type <nil>, expected string');
  }
  const { value, mismatch } = decodeMetadata(metadata);
  if (mismatch !== undefined) throw unfit(quote, describeMismatch(mismatch));
  const object = { ...document, metadata: value } as unknown as StoredObject;
  const unknown = served.strategy.unknownFields(document as unknown as StoredObject);
  return { object, unknown, quote };
}

/** The server's error 500 for a custom object without a version. */
export function withoutApiVersion(): Error {
  const why = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
  return failure({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${why}`,
    details: { causes: [{ message: why }] },
  });
}

/**
 * The object that results from a strategic merge patch. The server does not encode this result as JSON. It
 * decodes the result into the type of the resource, even if the `kind` in the result is different.
 *
 * @throws ApiError 422 for values that do not fit the type of their field.
 */
export function decodeMerge({ merged, patch }: StrategicMerge, expected: Expected): DecodedPatch {
  const quote = (): string => goText(patch);
  const typeName = builtInKindName(apiVersionOf(expected), expected.kind);
  if (typeName === undefined) return { object: asObject(merged, expected), unknown: [], quote };
  const { value, unknown, mismatch } = decodeStruct(merged, typeName, 'converter');
  if (mismatch !== undefined) throw unfit(quote, describeMismatch(mismatch));
  return { object: asObject(value, expected), unknown, quote };
}

interface Identified {
  readonly document: Json;
  readonly kind: string;
  /** The apiVersion of the object; empty if it has none. */
  readonly apiVersion: string;
}

function identified(merged: unknown, quote: () => string, expected: Expected): Identified {
  const failed = "couldn't get version/kind; json parse error: json: cannot unmarshal";
  if (!isObject(merged)) {
    throw unfit(
      quote,
      `${failed} array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  for (const field of ['apiVersion', 'kind']) {
    const own = merged[field] ?? '';
    if (typeof own === 'string') continue;
    const found = Array.isArray(own) ? 'array' : typeof own === 'boolean' ? 'bool' : typeof own;
    throw unfit(quote, `${failed} ${found} into Go struct field .${field} of type string`);
  }
  const { kind, apiVersion } = merged as { kind?: string | null; apiVersion?: string | null };
  if ((apiVersion ?? '').split('/').length > 2) {
    throw unfit(quote, `unexpected GroupVersion string: ${apiVersion}`);
  }
  return { document: merged, kind: kind || expected.kind, apiVersion: apiVersion ?? '' };
}

function asObject(value: Json, expected: Expected): StoredObject {
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const identity = { kind: expected.kind, apiVersion: apiVersionOf(expected) };
  return { ...value, ...identity, metadata } as unknown as StoredObject;
}

/** The server's error 422 for a patched object that is invalid. */
export function unfit(quote: () => string, why: string): Error {
  const message = `Invalid value: ${JSON.stringify(quote())}: ${why}`;
  return failure({
    code: 422,
    reason: 'Invalid',
    message: ` "" is invalid: patch: ${message}`,
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  });
}
