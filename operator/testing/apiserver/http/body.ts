import { messageOf } from '../../../core/errors.ts';
import { parseYaml } from '../../../core/yaml.ts';
import { apiVersionOf } from '../../../model/resource.ts';
import type { StoredObject } from '../cluster-access.ts';
import {
  badRequest,
  cannotBeHandled,
  failure,
  unsupportedMediaType,
  versionMismatch,
} from '../failures.ts';
import { isObject, valueAt } from '../objects/metadata.ts';
import { nonStringEntry } from '../objects/metadata-validation.ts';
import { microTimeProblem } from '../objects/micro-time.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Exchange } from './exchange.ts';

/** What the server reads of a body before it gives up (`MaxRequestBodyBytes`). */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** @throws ApiError 413 for a body over 3 MiB. */
export async function readBody({ request }: Exchange): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw failure({
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The media type of the request's body, without parameters. */
export function mediaTypeOf(exchange: Exchange): string {
  return (exchange.header('content-type') ?? '').split(';', 1)[0]?.trim() ?? '';
}

const BUILT_IN_TYPES = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];
const CUSTOM_TYPES = ['application/json', 'application/yaml'];

/**
 * The object in a body.
 *
 * @param expected - its kind and version, which are those of the resource or of a subresource.
 * @throws ApiError 415 for another media type, 400 for what is no such object.
 */
export function decodeObject(
  exchange: Exchange,
  text: string,
  served: ServedResource,
  expected: Pick<ServedResource, 'group' | 'version' | 'kind'> = served,
): StoredObject {
  const value = decodeValue(exchange, text, served);
  const kind = value.kind === undefined ? expected.kind : String(value.kind);
  const apiVersion =
    value.apiVersion === undefined ? apiVersionOf(expected) : String(value.apiVersion);
  if (kind !== expected.kind) throw wrongKind(kind, apiVersion, expected);
  if (apiVersion !== apiVersionOf(expected)) throw versionMismatch(apiVersion, expected);
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const object = { ...value, apiVersion, kind, metadata } as unknown as StoredObject;
  checkTexts(object, expected);
  checkMicroTimes(object, expected);
  return object;
}

function decodeValue(
  exchange: Exchange,
  text: string,
  served: ServedResource,
): Readonly<Record<string, unknown>> {
  const mediaType = mediaTypeOf(exchange);
  const isYaml = mediaType === 'application/yaml';
  if (mediaType !== '' && mediaType !== 'application/json' && !isYaml) {
    throw unsupportedMediaType(served.custom ? CUSTOM_TYPES : BUILT_IN_TYPES);
  }
  let value: unknown;
  try {
    value = isYaml ? parseYaml(text) : JSON.parse(text);
  } catch (error) {
    throw unrecognized(served.kind, text, messageOf(error));
  }
  if (!isObject(value)) throw unrecognized(served.kind, text, 'not an object');
  return value;
}

function unrecognized(kind: string, text: string, problem: string): Error {
  const ended = /Unterminated|Unexpected end/.test(problem);
  const why = ended ? 'unexpected end of JSON input' : problem;
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why} (${text.slice(0, 100)})`,
  );
}

function wrongKind(
  kind: string,
  apiVersion: string,
  expected: Pick<ServedResource, 'group' | 'version' | 'kind'>,
): Error {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const from = `${version}.${kind}`;
  const to = `${expected.group === '' ? 'core' : expected.group.split('.')[0]}.${expected.kind}`;
  const why = `converting (${from}) to (${to}): unknown conversion`;
  return cannotBeHandled(expected, { kind, version }, why);
}

/** Maps of text in which Go accepts nothing else. */
const TEXT_MAPS: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['data', 'binaryData'],
  Secret: ['data', 'stringData'],
};

function checkTexts(
  object: StoredObject,
  expected: Pick<ServedResource, 'group' | 'version' | 'kind'>,
): void {
  const fields = ['metadata.labels', 'metadata.annotations', ...(TEXT_MAPS[object.kind] ?? [])];
  const [field, type] = nonStringEntry(object, fields) ?? [];
  if (field === undefined) return;
  const owner = field.startsWith('metadata.')
    ? `ObjectMeta.${field.slice(9)}`
    : `${object.kind}.${field}`;
  const at = field.startsWith('metadata.') ? `${object.kind}.${field}` : owner;
  const why = `json: cannot unmarshal ${type} into Go struct field ${at} of type string`;
  throw cannotBeHandled(expected, { kind: expected.kind, version: expected.version }, why);
}

/** Fields of the type metav1.MicroTime. */
const MICRO_TIMES: Readonly<Record<string, readonly string[]>> = {
  Lease: ['spec.acquireTime', 'spec.renewTime'],
  Event: ['eventTime', 'series.lastObservedTime'],
};

function checkMicroTimes(
  object: StoredObject,
  expected: Pick<ServedResource, 'group' | 'version' | 'kind'>,
): void {
  for (const field of MICRO_TIMES[object.kind] ?? []) {
    const problem = microTimeProblem(valueAt(object, field.split('.')));
    if (problem === undefined) continue;
    throw cannotBeHandled(expected, { kind: expected.kind, version: expected.version }, problem);
  }
}
