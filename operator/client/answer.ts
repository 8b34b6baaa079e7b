import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { type OperatorError, ProtocolError } from '../core/errors.ts';
import { isStatus } from '../model/status.ts';
import type { TransportResponse } from '../transport/transport.ts';
import { type Asked, isJson, responseFailure } from './response-failure.ts';

/** A larger body could not become one string: V8 ends at 512 MiB, and twice the size is in use. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Enough for every Status; a validation failure names each bad field. */
const MAX_STATUS_BYTES = 1024 * 1024;

/** Of a body that is nobody's, only what helps to recognise its author. */
const MAX_FOREIGN_BYTES = 2 * 1024;

/** A decoded JSON object of a successful answer. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface ReadAnswerOptions {
  readonly parse?: (text: string) => unknown;
  readonly asked?: Asked | undefined;
}

/**
 * The JSON object that a successful answer carries.
 *
 * @param options - `parse` from JSON, see `parseExact`; `asked`, the request that an error names.
 * @throws ApiError, AmbassadorError or ProtocolError `NOT_KUBERNETES` for any other answer.
 * @throws ProtocolError `DECODE` when the body is not a JSON object: cut short, for example. Since
 *   API servers stream their lists, they can report a late failure in no other way.
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

/** As `readAnswer`, of an answer whose text is there. */
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

/** Returns when the answer is a success with a JSON body, which is left unread; throws otherwise. */
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

/** Reads until more than `limit` bytes are there; a longer body is left, and its connection closed. */
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
    // No cause: the message of a SyntaxError quotes the text, which may be a Secret's.
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

/** A `Warning` header of the API server: 299, the one code that it sends. */
const WARNING = /(?:^|,)\s*(\d{3}) +(\S+) +"((?:[^"\\]|\\.)*)"/g;

/** Distinct texts that are remembered; the server says the same few again and again. */
const MAX_TEXTS = 1_000;

/**
 * The texts of the `Warning` headers of an answer, as RFC 7234 quotes them. Only those of code 299:
 * others are a cache's on the way.
 */
export function warningTexts(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  return Array.from(header.matchAll(WARNING))
    .filter(([, code]) => code === '299')
    .map(([, , , quoted = '']) => quoted.replace(/\\(.)/g, '$1'))
    .filter((text) => text !== '');
}

/** `listener`, called for a text the first time only; the last 1,000 texts are remembered. */
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
