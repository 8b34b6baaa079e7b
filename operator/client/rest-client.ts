import { NEVER_ABORTED } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { deepJson } from '../core/json/deep-json.ts';
import { isExactNumber } from '../core/json/exact-number.ts';
import { parseExact } from '../core/json/parse-exact.ts';
import { isNotFound } from '../model/not-found.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { isGone } from '../model/status.ts';
import type { Transport } from '../transport/transport.ts';
import { type JsonObject, readAnswer, warningTexts } from './answer.ts';
import { type CallHandler, isRead, isRemoval } from './call.ts';
import type { Client, Stored } from './client.ts';
import { clientOf } from './client-of.ts';
import { decodeList, formOf, unexpected } from './list-answer.ts';
import {
  type FieldValidation,
  type ListCall,
  pageRequest,
  type RestRequest,
  requestOf,
} from './rest-request.ts';

/** Options of `restClient`. */
export interface RestClientOptions {
  /** Sends the requests. The caller must close the transport. */
  readonly transport: Transport;
  /**
   * The writer's name in `metadata.managedFields`. If it is changed later, the API server treats the new name
   * as another owner.
   */
  readonly fieldManager: string;
  /** Used when a `Retry-After` header contains a date. */
  readonly clock: Clock;
  /** `election`: requests have their own connections and a short deadline. Default `call`. */
  readonly purpose?: 'call' | 'election';
  /**
   * True: answers contain integers beyond ±2^53 as exact `bigint` instead of the nearest `number`. For a
   * client that reads objects of other writers and writes them back as a whole. Default false, because
   * caches, which are filled by watches, contain such integers as `number`: otherwise an object from an
   * answer would differ from the cached object.
   */
  readonly exactIntegers?: boolean;
  /**
   * How the server handles unknown and duplicate fields: `Strict` refuses the write (400), `Warn` drops them
   * and warns, `Ignore` drops them. Default: the server's default, `Warn`.
   */
  readonly fieldValidation?: FieldValidation;
  /**
   * Called with the message of each `Warning` header, each time it arrives: deprecated versions, unknown
   * fields, messages of an admission webhook. Must not throw.
   */
  readonly onWarning?: (text: string) => void;
}

/** Objects per page of a list, as in client-go. */
const LIST_PAGE_SIZE = 500;

/**
 * A Client that sends its calls to the API server through `transport`. It caches nothing and retries nothing.
 * The error tells the caller whether a retry can help.
 *
 * An integer beyond ±2^53 is written only as a `bigint`. A `number` beyond ±2^53 may be an integer of another
 * writer that was rounded when it was read. So such a write is refused with a ConfigurationError before
 * anything is sent.
 */
export function restClient(options: RestClientOptions): Client {
  return clientOf(rest(options));
}

/** Turns a call into an HTTP request, and the response into the answer. */
function rest(options: RestClientOptions): CallHandler {
  const send = sender(options);
  const { fieldManager, fieldValidation } = options;
  const defaults = { fieldManager, fieldValidation };
  return async (call) => {
    try {
      if (call.verb === 'list') return await listPages(send, call, LIST_PAGE_SIZE);
      const answer = await send(requestOf(call, defaults), call.options.signal);
      if (isRemoval(call)) return undefined;
      const subresource = isRead(call) ? undefined : call.options.subresource;
      return objectIn(answer, call.resource, subresource);
    } catch (error) {
      // The page token refers to a state that the server no longer has. The list is repeated in a single
      // page, which needs no token.
      if (call.verb === 'list' && isGone(error)) return listPages(send, call, undefined);
      // If the API server does not serve the resource, the object may exist nevertheless. `isNotFound` is
      // false for that error.
      if (call.verb === 'find' && isNotFound(error)) return undefined;
      throw error;
    }
  };
}

/** Sends one request and reads its answer. */
type Send = (request: RestRequest, signal: AbortSignal | undefined) => Promise<JsonObject>;

function sender({
  transport,
  clock,
  purpose = 'call',
  exactIntegers = false,
  onWarning = () => {},
}: RestClientOptions): Send {
  const parse = exactIntegers ? parseExact : JSON.parse;
  return async ({ method, path, contentType, body }, signal = NEVER_ABORTED) => {
    const accept = 'application/json';
    const response = await transport.send({
      method,
      path,
      purpose,
      signal,
      ...(contentType === undefined
        ? { headers: { accept } }
        : { headers: { accept, 'content-type': contentType }, body: encodeExact(body) }),
    });
    for (const text of warningTexts(response.headers.warning)) onWarning(text);
    return readAnswer(response, clock, { parse, asked: { method, path } });
  };
}

/** All pages, with `limit` objects each. Without a limit the list has a single page. */
async function listPages(
  send: Send,
  call: ListCall,
  limit: number | undefined,
): Promise<readonly Stored<KubernetesObject>[]> {
  const pages: (readonly Stored<KubernetesObject>[])[] = [];
  let token: string | undefined;
  do {
    const answer = await send(pageRequest(call, limit, token), call.options.signal);
    const page = decodeList(answer, call.resource);
    pages.push(page.items as readonly Stored<KubernetesObject>[]);
    token = page.continueToken;
  } while (token !== undefined);
  return pages.flat();
}

/**
 * The object in a successful answer. An answer about a subresource may have another kind, such as
 * Scale.
 *
 * @throws ProtocolError `DECODE` for a kind other than that of `resource`, or without metadata.
 */
function objectIn(
  answer: JsonObject,
  resource: Resource,
  subresource: string | undefined,
): KubernetesObject {
  const expected = formOf(resource);
  const { apiVersion, kind, metadata } = answer;
  const isExpected = apiVersion === expected.apiVersion && kind === expected.kind;
  if (subresource === undefined) {
    // A name is not required: the answer to a review, such as SelfSubjectAccessReview, has none.
    const hasMetadata = typeof metadata === 'object' && metadata !== null;
    if (!isExpected || !hasMetadata) throw unexpected(resource, expected, answer);
  }
  return answer as unknown as KubernetesObject;
}

/**
 * `JSON.rawJSON` is part of ES2025 and of every supported Node; TypeScript's library does not declare it yet.
 */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * The JSON of `value`, with each `bigint` as an integer, at any depth.
 *
 * @throws ConfigurationError `CONFIG` for NaN, an infinity, and a `number` beyond ±2^53, which may have lost
 *   digits. For this reason a rounded integer is never written back.
 */
export function encodeExact(value: unknown): string {
  try {
    return JSON.stringify(value, exactly);
  } catch (error) {
    // JSON.stringify throws a RangeError only when the value is nested too deeply for the call stack.
    if (error instanceof RangeError) return deepJson(value, exactly);
    throw error;
  }
}

function exactly(key: string, member: unknown): unknown {
  if (typeof member === 'bigint') return rawJSON(String(member));
  if (typeof member === 'number' && !isExactNumber(member)) {
    throw new ConfigurationError('a number cannot be written without loss: make it a bigint', {
      context: { field: key, got: member },
    });
  }
  return member;
}
