import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ApiError } from 'chancery';
import { formatYaml } from 'chancery/internal-objects';
import type { Caller } from '../../auth/user.ts';
import { statusOf } from '../../failures/failure.ts';
import { goJson, prettyJson, sortedDeep } from '../../objects/canonical.ts';
import { isDeeper, jsonText, READABLE_LEVELS } from '../../objects/json-text.ts';
import type { Json } from '../../objects/metadata.ts';
import { type Form, formAsked, type Known, negotiate, type Offer, PLAIN } from './negotiate.ts';
import { Warnings } from './warnings.ts';

/** The number of items that are encoded and sent at once. This is the page size of kubectl. */
export const ITEMS_OF_PART = 500;

/** The properties of a request that the server reads. The request comes from a socket or from memory. */
export type HttpRequest = Readable &
  Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersionMajor'>;

/**
 * The object that the server writes its answer to: Node's `ServerResponse`, or an answer in memory.
 */
export interface HttpResponse {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly destroyed: boolean;
  readonly writableNeedDrain: boolean;
  readonly writableLength: number;
  readonly socket: { resetAndDestroy(): void } | null;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
  write(chunk: string | Buffer): boolean;
  end(chunk?: string | Buffer): unknown;
  destroy(error?: Error): unknown;
  once(event: 'close', listener: () => void): unknown;
  on(event: 'drain' | 'close', listener: () => void): HttpResponse;
  off(event: 'drain' | 'close', listener: () => void): HttpResponse;
}

/** One HTTP request and its answer. */
export class Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** The user that authentication found. */
  sender: Caller | undefined;
  /** The user of the request, once known: the sender, or the user that the sender impersonates. */
  caller: Caller | undefined;
  /** The time limit for the body in milliseconds. If undefined, the limit of a real server applies. */
  bodyTimeoutMs: number | undefined;
  /** The fault that ends the watch, if the request begins a watch. */
  watchCut: { readonly how: 'clean' | 'reset'; readonly afterMs: number } | undefined;
  /** Which parameters of the Accept header this server knows. */
  readonly #known: Known;
  /** The result of the last content negotiation. */
  #form: Form | undefined;
  readonly #warnings = new Warnings();
  readonly #auditAnnotations: Record<string, string> = {};

  constructor(request: HttpRequest, response: HttpResponse, known: Known) {
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    this.method = request.method ?? 'GET';
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
    this.request = request;
    this.response = response;
    this.#known = known;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /**
   * Negotiates the format of an endpoint's answer.
   * @throws ApiError 406 when the endpoint cannot send any format that the client accepts.
   */
  formFrom(offer: Offer): Form {
    this.#form = negotiate(this.header('accept'), this.#known, offer);
    return this.#form;
  }

  get userAgent(): string {
    return this.header('user-agent') ?? '';
  }

  /** Breaks off the connection, or the HTTP/2 stream, in the middle of the answer. */
  reset(): void {
    if (this.isHttp2) this.response.destroy(new Error('reset'));
    else this.response.socket?.resetAndDestroy();
  }

  get isHttp2(): boolean {
    return this.request.httpVersionMajor === 2;
  }

  /** Adds a Warning header to the answer. */
  warn(text: string): void {
    this.#warnings.add(text);
  }

  /** Adds an annotation to the request's audit event, unless it already has one with the same key. */
  annotate(key: string, value: string): void {
    if (!Object.hasOwn(this.#auditAnnotations, key)) this.#auditAnnotations[key] = value;
  }

  get auditAnnotations(): Readonly<Record<string, string>> {
    return this.#auditAnnotations;
  }

  /**
   * Whether answers are indented for people. By default, answers to curl, wget and browsers are indented.
   */
  get pretty(): boolean {
    if ((this.#form ?? this.#plainForm)?.pretty === true) return true;
    const asked = this.query.get('pretty') ?? '';
    if (asked !== '') return /^(1|t|T|TRUE|true|True)$/.test(asked);
    return /^(curl|Wget|Mozilla\/5\.0)/.test(this.userAgent);
  }

  /** The format of answers that are not objects. Undefined if the client accepts neither JSON nor YAML. */
  get #plainForm(): Form | undefined {
    return formAsked(this.header('accept'), this.#known, PLAIN);
  }

  json(code: number, body: unknown, contentType = 'application/json'): void {
    // JSON on a single line ends with a newline. Indented JSON does not end with a newline.
    const text = this.pretty ? prettyJson(body) : `${goJson(body)}\n`;
    this.text(code, text, contentType);
  }

  /**
   * Sends the JSON of a long list in chunks, and serves other requests between two chunks. The items cannot
   * change before they are sent, because stored objects are immutable.
   *
   * @param field - the field with the items: `items` or `rows`.
   */
  async jsonList(code: number, list: Json, field: string): Promise<void> {
    const items = list[field] as readonly unknown[];
    const [before = '', ...after] = goJson({ ...list, [field]: [] }).split(`"${field}":[]`);
    this.head(code, { 'content-type': 'application/json' });
    this.response.write(`${before}"${field}":[`);
    for (let at = 0; at < items.length && !this.response.destroyed; at += ITEMS_OF_PART) {
      const part = items.slice(at, at + ITEMS_OF_PART).map((item) => goJson(item));
      this.response.write(`${at === 0 ? '' : ','}${part.join(',')}`);
      await (this.response.writableNeedDrain ? this.drained() : yieldToEventLoop());
    }
    this.response.end(`]${after.join(`"${field}":[]`)}\n`);
  }

  /** Resolves when the client has read everything that was written, or has disconnected. */
  drained(): Promise<void> {
    const { response } = this;
    return new Promise((resolve) => {
      const settle = (): void => {
        response.off('drain', settle).off('close', settle);
        resolve();
      };
      if (response.destroyed || !response.writableNeedDrain) resolve();
      else response.on('drain', settle).on('close', settle);
    });
  }

  /** Sends YAML. Its keys are sorted, because Go writes it from a map. */
  yaml(code: number, body: unknown, headers: object = {}): void {
    const plain = sortedDeep(body);
    this.text(code, yamlText(plain), 'application/yaml', headers);
  }

  text(code: number, text: string, contentType: string, headers: object = {}): void {
    this.bytes(code, Buffer.from(text), contentType, headers);
  }

  bytes(code: number, bytes: Buffer, contentType: string, headers: object = {}): void {
    this.head(code, {
      'content-type': contentType,
      'content-length': String(bytes.length),
      ...headers,
    });
    this.response.end(this.method === 'HEAD' ? undefined : bytes);
  }

  /** Sends plain text, for `404 page not found` and similar answers of Go's HTTP server. */
  plain(code: number, text: string): void {
    const headers = { 'x-content-type-options': 'nosniff' };
    this.text(code, text, 'text/plain; charset=utf-8', headers);
  }

  head(code: number, headers: Readonly<Record<string, string>>): void {
    this.response.writeHead(code, {
      'cache-control': 'no-cache, private',
      ...headers,
      ...this.#warnings.header,
    });
  }

  fail(error: ApiError): void {
    const status = statusOf(error);
    const seconds = status.details?.retryAfterSeconds;
    const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
    const form = this.#plainForm;
    if (form?.mediaType === 'yaml') {
      this.yaml(error.status, status, headers);
      return;
    }
    // A client that accepts neither JSON nor YAML gets an error as indented JSON.
    const indented = this.pretty || form === undefined;
    const text = indented ? prettyJson(status) : `${goJson(status)}\n`;
    this.text(error.status, text, 'application/json', headers);
  }
}

/**
 * A value as YAML. A value that is nested too deeply to be read as YAML is written as JSON, which is also
 * valid YAML.
 */
function yamlText(value: unknown): string {
  return isDeeper(value, READABLE_LEVELS) ? `${jsonText(value)}\n` : formatYaml(value);
}
