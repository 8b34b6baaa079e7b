import { apiVersionOf, duplicateYamlKeys, messageOf, parseYaml } from 'chancery/internal-objects';
import { builtInKindName, builtInKinds } from '../../built-in-types/built-in-types.ts';
import { badRequest } from '../../failures/failure.ts';
import {
  cannotBeHandled,
  unsupportedMediaType,
  versionMismatch,
} from '../../failures/request-failures.ts';
import { type Fractions, overflowText, parseGoJson } from '../../objects/go-json.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { decodeMetadata, decodeStruct, describeMismatch } from '../../objects/struct-decoder.ts';
import { encodeStruct } from '../../objects/struct-encoder.ts';
import { openEnvelope } from '../../protobuf/envelope.ts';
import { readMessage } from '../../protobuf/message.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { reportStrictly } from '../../verbs/writes/field-validation.ts';
import type { Exchange } from './exchange.ts';
import type { RequestBody } from './read-body.ts';

export { RequestBody, readBody } from './read-body.ts';

/** The media type of the request's body, without parameters. */
export function mediaTypeOf(exchange: Exchange): string {
  return (exchange.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
const BUILT_IN_TYPES = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
const CUSTOM_TYPES = [JSON_TYPE, YAML_TYPE];

/** The kind and version that a body must have. */
export type Expected = Pick<ServedResource, 'group' | 'version' | 'kind'>;

/**
 * Decodes the object in a body like the server. A built-in object then has only the fields of its Go type,
 * and no nulls.
 *
 * @param expected - the kind and version of the resource or subresource.
 * @throws ApiError 415 for an unsupported media type, 400 for a body that is not an object of the expected
 * kind and version.
 */
export function decodeObject(
  exchange: Exchange,
  body: RequestBody,
  served: ServedResource,
  expected: Expected = served,
): StoredObject {
  const types = served.custom && expected === served ? CUSTOM_TYPES : BUILT_IN_TYPES;
  const mediaType = mediaTypeOf(exchange) || JSON_TYPE;
  if (!types.includes(mediaType)) throw unsupportedMediaType(types);
  const isOwn = served.custom && expected === served;
  const document = documentIn(body, mediaType, expected, isOwn);
  const { kind, apiVersion } = document;
  // The kind of a custom object is checked during validation.
  if (kind !== expected.kind && !isOwn) throw wrongKind(kind, apiVersion, expected);
  if (apiVersion !== apiVersionOf(expected)) throw versionMismatch(apiVersion, expected);
  const value = { ...document.read(), apiVersion, kind };
  const typeName = builtInKindName(apiVersion, kind);
  if (typeName === undefined && document.overflow !== undefined) {
    throw cannotBeHandled(expected, expected, overflowText(document.overflow));
  }
  const decoded =
    typeName === undefined
      ? decodeCustom(value, expected)
      : decodeBuiltIn(value, typeName, expected, document.fractions);
  const metadata = isObject(decoded.value.metadata) ? decoded.value.metadata : {};
  const object = { ...decoded.value, metadata } as unknown as StoredObject;
  const pruned = isOwn ? served.strategy.unknownFields(object) : [];
  const unknown = [...decoded.unknown, ...pruned].map((field) => `unknown field "${field}"`);
  reportStrictly(expected, [...document.strict, ...unknown], {
    fieldValidation: exchange.query.get('fieldValidation') || 'Warn',
    warn: (text) => exchange.warn(text),
  });
  return object;
}

/**
 * Decodes the options in a body, for example of a DELETE.
 *
 * @returns undefined for an empty body.
 * @throws ApiError 415 for an unsupported media type, 400 for a body that is not an object of the expected
 * kind and version.
 */
export function decodeOptions(exchange: Exchange, body: RequestBody, kind: string): unknown {
  if (body.bytes.length === 0) return undefined;
  const mediaType = mediaTypeOf(exchange) || JSON_TYPE;
  if (!BUILT_IN_TYPES.includes(mediaType)) throw unsupportedMediaType(BUILT_IN_TYPES);
  const found = plainly(() => parserOf(mediaType)(body, { group: '', version: 'v1', kind }));
  if (found.kind !== kind) throw badRequest(`decoded object cannot be converted to ${kind}`);
  const typeName = `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`;
  const value = plainly(() => found.read(typeName));
  const { value: options, mismatch } = decodeStruct(value, typeName, 'json', found.fractions);
  if (mismatch !== undefined) throw badRequest(describeMismatch(mismatch));
  return options;
}

/** A body whose kind has been read. */
interface Document {
  readonly kind: string;
  readonly apiVersion: string;
  /** What a strict decoder finds while it parses, such as duplicate fields. */
  readonly strict: readonly string[];
  /**
   * Numbers that are invalid in integer fields. Only for JSON: YAML numbers are rewritten before they are
   * decoded, so that `1.0` becomes 1.
   */
  readonly fractions?: Fractions;
  readonly overflow?: string | undefined;
  /** @param typeName - the name of the type in messages, if it does not follow from the kind. */
  read(typeName?: string): Json;
}

type Parser = (body: RequestBody, expected: Expected) => Document;

function parserOf(mediaType: string): Parser {
  if (mediaType === PROTOBUF_TYPE) return protobufDocument;
  return mediaType === YAML_TYPE ? yamlDocument : jsonDocument;
}

function jsonDocument({ text }: RequestBody, expected: Expected): Document {
  const { value, duplicates, fractions, overflow } = plainJson(text);
  const strict = duplicates.map((field) => `duplicate field "${field}"`);
  return { ...identified(value, expected), strict, fractions, overflow };
}

function plainJson(text: string): ReturnType<typeof parseGoJson> {
  try {
    return parseGoJson(text);
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${messageOf(error)}`);
  }
}

function yamlDocument({ text }: RequestBody, expected: Expected): Document {
  let value: unknown;
  try {
    value = parseYaml(text, { exactIntegers: true });
  } catch (error) {
    const why = messageOf(error).replace(/^invalid YAML: /, '');
    throw new Error(`error converting YAML to JSON: yaml: ${why}`);
  }
  const lines = duplicateYamlKeys(text).map(
    ({ line, key }) => `  line ${line}: key ${JSON.stringify(key)} already set in map`,
  );
  const strict = lines.length === 0 ? [] : [['yaml: unmarshal errors:', ...lines].join('\n')];
  return { ...identified(value, expected), strict };
}

/** Reads kind and version, which must be strings if the body has them. */
function identified(value: unknown, expected: Expected): Omit<Document, 'strict'> {
  const failed = "couldn't get version/kind; json parse error: json: cannot unmarshal";
  const go = typeof value === 'boolean' ? 'bool' : Array.isArray(value) ? 'array' : typeof value;
  if (value !== null && !isObject(value)) {
    throw new Error(
      `${failed} ${go} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const object = value ?? {};
  for (const field of ['apiVersion', 'kind']) {
    const own = object[field];
    if (own === undefined || own === null || typeof own === 'string') continue;
    const found = Array.isArray(own) ? 'array' : typeof own === 'boolean' ? 'bool' : typeof own;
    throw new Error(`${failed} ${found} into Go struct field .${field} of type string`);
  }
  return {
    kind: typeof object.kind === 'string' && object.kind !== '' ? object.kind : expected.kind,
    apiVersion:
      typeof object.apiVersion === 'string' && object.apiVersion !== ''
        ? object.apiVersion
        : apiVersionOf(expected),
    read: () => object,
  };
}

function protobufDocument({ bytes }: RequestBody, expected: Expected): Document {
  const envelope = openEnvelope(bytes);
  const kind = envelope.kind || expected.kind;
  const apiVersion = envelope.apiVersion || apiVersionOf(expected);
  return {
    kind,
    apiVersion,
    strict: [],
    read: (typeName = builtInKindName(apiVersion, kind) ?? '') =>
      encodeStruct(readMessage(envelope.raw, typeName), typeName),
  };
}

/**
 * The default kind of a body on paths that do not imply a kind. Only the paths of built-in resources imply a
 * kind.
 */
const UNSAID: Expected = { group: '', version: '', kind: '' };

/**
 * Parses a body and reads its kind.
 * @throws ApiError 400 for a body that cannot be parsed or has no kind.
 */
function documentIn(
  body: RequestBody,
  mediaType: string,
  expected: Expected,
  mustSay: boolean,
): Document {
  let found: Document;
  try {
    found = parserOf(mediaType)(body, mustSay ? UNSAID : expected);
    if (found.kind === '') throw new Error(`Object 'Kind' is missing in '${body.text}'`);
  } catch (error) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${messageOf(error)} (${summary(body.bytes)})`,
    );
  }
  return { ...found, read: (typeName) => handled(expected, () => found.read(typeName)) };
}

function handled<T>(expected: Expected, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw cannotBeHandled(expected, expected, messageOf(error));
  }
}

function plainly<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw badRequest(messageOf(error));
  }
}

/** The beginning of a body, as the server's messages quote it. */
function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, 30);
  const text = bytes[0] === 0x7b ? start.toString('utf8') : start.toString('hex');
  return bytes.length > 30 ? `${text} ...` : text;
}

function decodeBuiltIn(
  value: Json,
  typeName: string,
  expected: Expected,
  fractions: Fractions | undefined,
): { readonly value: Json; readonly unknown: readonly string[] } {
  const decoded = decodeStruct(value, typeName, 'json', fractions);
  if (decoded.mismatch === undefined) return decoded;
  throw cannotBeHandled(expected, expected, describeMismatch(decoded.mismatch));
}

/**
 * Decodes a custom object. Only the metadata has a Go type. The other fields are checked with the schema
 * later.
 */
function decodeCustom(value: Json, expected: Expected): ReturnType<typeof decodeBuiltIn> {
  if (!isObject(value.metadata)) return { value, unknown: [] };
  const decoded = decodeMetadata(value.metadata);
  if (decoded.mismatch !== undefined) {
    throw cannotBeHandled(expected, expected, describeMismatch(decoded.mismatch));
  }
  const unknown = decoded.unknown.map((field) => `metadata.${field}`);
  return { value: { ...value, metadata: decoded.value }, unknown };
}

/**
 * A source line in the server's message. At this line of its source code, the server registers its internal
 * types.
 */
const SCHEME = 'k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30';

function wrongKind(kind: string, apiVersion: string, expected: Expected): Error {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const isKnown = builtInKinds().some((name) => name.endsWith(`/${kind}`));
  const from = `${version}.${kind}`;
  const to = `${expected.group === '' ? 'core' : expected.group.split('.')[0]}.${expected.kind}`;
  const why = isKnown
    ? `converting (${from}) to (${to}): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${JSON.stringify(SCHEME)}`;
  return cannotBeHandled(expected, { kind, version }, why);
}
