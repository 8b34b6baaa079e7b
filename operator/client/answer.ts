import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { type OperatorError, ProtocolError } from '../core/errors.ts';
import { isStatus } from '../model/status.ts';
import type { TransportResponse } from '../transport/transport.ts';
import { type Asked, isJson, responseFailure } from './response-failure.ts';

/**
 * Maximum bytes of a body. A larger body could not become one string: V8 limits strings to 512 MiB, and
 * decoding needs twice the size of the body.
 */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/**
 * Maximum bytes of a Status. This is enough for every Status, even for a validation failure that lists many
 * invalid fields.
 */
const MAX_STATUS_BYTES = 1024 * 1024;

/** Number of bytes that are read of a body that is not a Status. They are enough to recognise its sender. */
const MAX_FOREIGN_BYTES = 2 * 1024;

/** A decoded JSON object of a successful answer. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface ReadAnswerOptions {
  readonly parse?: (text: string) => unknown;
  readonly asked?: Asked | undefined;
}

/**
 * The JSON object in a successful answer.
 *
 * @param options - `parse`: parses the JSON, see `parseExact`. `asked`: the request, whose method and path an
 *   error contains.
 * @throws ApiError, AmbassadorError or ProtocolError `NOT_KUBERNETES` for any other answer.
 * @throws ProtocolError `DECODE` when the body is not a JSON object, for example because it was cut short.
 *   API servers stream their lists, so they can report a late failure only by cutting the body short.
 */
export async function readAnswer(
  response: TransportResponse,
  clock: Clock,
  { parse = JSON.parse, asked }: ReadAnswerOptions = {},
): Promise<JsonObject> {
  await requireSuccess(response, clock, asked);
  const { chunks, sizeBytes } = await readUpTo(response.body, MAX_BODY_BYTES);
  if (sizeBytes > MAX_BODY_BYTES) throw undecodable('the answer is too large', sizeBytes);
  return parseAnswer(Buffer.concat(chunks).toString('utf8'), response, clock, { parse, asked });
}

/** Like `readAnswer`, for an answer whose body was already read. */
export function parseAnswer(
  text: string,
  response: TransportResponse,
  clock: Clock,
  { parse = JSON.parse, asked }: ReadAnswerOptions = {},
): JsonObject {
  const value = parseObject(text, parse);
  if (isStatus(value) && value.status === 'Failure') {
    throw responseFailure({ ...response, text, asked }, clock.now());
  }
  return value;
}

/**
 * Does nothing if the answer is a success with a JSON body; the body is then not read. Otherwise throws the
 * same errors as `readAnswer`.
 */
export async function requireSuccess(
  response: TransportResponse,
  clock: Clock,
  asked?: Asked,
): Promise<void> {
  const { status, headers } = response;
  if (status < 200 || status >= 300 || !isJson(headers)) {
    throw await readFailure(response, clock, asked);
  }
}

async function readFailure(
  response: TransportResponse,
  clock: Clock,
  asked: Asked | undefined,
): Promise<OperatorError> {
  const limit = isJson(response.headers) ? MAX_STATUS_BYTES : MAX_FOREIGN_BYTES;
  const { chunks } = await readUpTo(response.body, limit);
  const text = Buffer.concat(chunks).subarray(0, limit).toString('utf8');
  return responseFailure({ ...response, text, asked }, clock.now());
}

/**
 * Reads a body until it has more than `limit` bytes. It does not read the rest of a longer body,
 * which closes the connection.
 */
async function readUpTo(
  body: Readable,
  limit: number,
): Promise<{ chunks: readonly Buffer[]; sizeBytes: number }> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > limit) break;
  }
  return { chunks, sizeBytes };
}

function parseObject(text: string, parse: (text: string) => unknown): JsonObject {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    // The error has no cause, because the message of a SyntaxError quotes the body, which may be a Secret.
    throw undecodable('the answer is not complete JSON', Buffer.byteLength(text));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw undecodable('the answer is not a JSON object', Buffer.byteLength(text));
  }
  return value as JsonObject;
}

function undecodable(message: string, sizeBytes: number): ProtocolError {
  return new ProtocolError(message, { code: 'DECODE', context: { sizeBytes } });
}

/** Matches one warning in a `Warning` header. The API server sends only warnings with the code 299. */
const WARNING = /(?:^|,)\s*(\d{3}) +(\S+) +"((?:[^"\\]|\\.)*)"/g;

/** Maximum number of distinct warnings to remember. A server repeats only a few. */
const MAX_TEXTS = 1_000;

/**
 * The unquoted messages of an answer's `Warning` headers (RFC 7234). Only headers with code 299 are used,
 * because other codes come from caches between the server and the operator.
 */
export function warningTexts(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  return Array.from(header.matchAll(WARNING))
    .filter(([, code]) => code === '299')
    .map(([, , , quoted = '']) => quoted.replace(/\\(.)/g, '$1'))
    .filter((text) => text !== '');
}

/**
 * Returns a function that passes each distinct warning to `listener` only once. It remembers the last 1,000
 * warnings.
 */
export function oncePerText(listener: (text: string) => void): (text: string) => void {
  const known = new Set<string>();
  return (text) => {
    const isNew = !known.delete(text);
    known.add(text);
    const [oldest] = known;
    if (known.size > MAX_TEXTS && oldest !== undefined) known.delete(oldest);
    if (isNew) listener(text);
  };
}
