import { NEVER_ABORTED } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { isGone, isNotFound } from '../model/status.ts';
import type { Transport } from '../transport/transport.ts';
import { type JsonObject, readAnswer } from './answer.ts';
import { type CallHandler, isRead, isRemoval } from './call.ts';
import type { Client, Stored } from './client.ts';
import { clientOf } from './client-of.ts';
import { encodeExact, parseExact } from './exact-json.ts';
import { decodeList, formOf, unexpected } from './list-answer.ts';
import { isUnserved } from './response-failure.ts';
import {
  type FieldValidation,
  type ListCall,
  pageRequest,
  type RestRequest,
  requestOf,
} from './rest-request.ts';
import { warningTexts } from './server-warnings.ts';

/** Options of `restClient`. */
export interface RestClientOptions {
  /** Sends the requests. The caller closes it. */
  readonly transport: Transport;
  /** Names the writer in `metadata.managedFields`. A different name later is a different owner. */
  readonly fieldManager: string;
  /** For a `Retry-After` that is a date. */
  readonly clock: Clock;
  /** `lease`: on connections of its own and with a short deadline. Default `call`. */
  readonly purpose?: 'call' | 'election';
  /**
   * Answers carry integers beyond ±2^53 as `bigint`, exactly, instead of the nearest `number`. For a
   * client that reads objects of others and writes them back whole. Default false: a cache, which is
   * fed by watches, has numbers only, and an object that was read would differ from the cached one.
   */
  readonly exactIntegers?: boolean;
  /**
   * What the server does about fields that it does not know, and about fields that come twice:
   * `Strict` refuses the write (400), `Warn` drops them and says so, `Ignore` drops them. Default: the
   * server's own, `Warn`.
   */
  readonly fieldValidation?: FieldValidation;
  /**
   * Given each text of a `Warning` header, as often as it comes: deprecated versions, unknown fields,
   * remarks of an admission webhook. Must not throw.
   */
  readonly onWarning?: (text: string) => void;
}

/** Objects in a page of a list, as in client-go. */
const LIST_PAGE_SIZE = 500;

/**
 * A Client that speaks to the API server through `transport`. It caches nothing and retries nothing: the
 * caller decides, by the errors.
 *
 * An integer beyond ±2^53 is written only as a `bigint`. As a `number` it may be another writer's
 * integer, rounded, so that the write is refused with a ConfigurationError before anything is sent.
 */
export function restClient(options: RestClientOptions): Client {
  return clientOf(rest(options));
}

/** Call → HTTP request → answer. */
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
      // A page token outlived the history that it points into. A list in one page needs no token.
      if (call.verb === 'list' && isGone(error)) return listPages(send, call, undefined);
      // If the resource itself is not served, the object may exist: that stays an error.
      if (call.verb === 'find' && isNotFound(error) && !isUnserved(error)) return undefined;
      throw error;
    }
  };
}

/** Sends one request, and reads its answer. */
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

/** All pages, of `limit` objects each; without a limit the list is one page. */
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
 * The object in a successful answer. The answer about a subresource may be of another kind, such as
 * Scale.
 *
 * @throws ProtocolError `DECODE` for another kind than that of `resource`, or without metadata.
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
