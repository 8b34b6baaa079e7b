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

/** A page of kubectl: longer answers are sent in parts. */
export const ITEMS_OF_PART = 500;

/** What the server reads of a request: of one from a socket, or of one in memory. */
export type HttpRequest = Readable &
  Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersionMajor'>;

/** What the server writes its answer to: a `ServerResponse` of Node, or an answer in memory. */
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
  /** Whom authentication found. */
  sender: Caller | undefined;
  /** The user of the request, once it is known: the sender, or the user that the sender impersonates. */
  caller: Caller | undefined;
  /** How long the body may take; without it as long as a real server waits. */
  bodyTimeoutMs: number | undefined;
  /** How a fault ends the watch, if the request begins one. */
  watchCut: { readonly how: 'clean' | 'reset'; readonly afterMs: number } | undefined;
  /** What of an Accept header the server knows. */
  readonly #known: Known;
  /** The form that was agreed on. */
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

  /** The form of the answer of an endpoint. @throws ApiError 406 when it has none that the client takes. */
  formFrom(offer: Offer): Form {
    this.#form = negotiate(this.header('accept'), this.#known, offer);
    return this.#form;
  }

  get userAgent(): string {
    return this.header('user-agent') ?? '';
  }

  /** Breaks the connection off, of HTTP/2 the stream, in the middle of the answer. */
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

  /** Adds an annotation to the audit event of the request; the first one of a key stays. */
  annotate(key: string, value: string): void {
    if (!Object.hasOwn(this.#auditAnnotations, key)) this.#auditAnnotations[key] = value;
  }

  get auditAnnotations(): Readonly<Record<string, string>> {
    return this.#auditAnnotations;
  }

  /** The answer to a person: those of curl, wget and browsers are indented. */
  get pretty(): boolean {
    if ((this.#form ?? this.#plainForm)?.pretty === true) return true;
    const asked = this.query.get('pretty') ?? '';
    if (asked !== '') return /^(1|t|T|TRUE|true|True)$/.test(asked);
    return /^(curl|Wget|Mozilla\/5\.0)/.test(this.userAgent);
  }

  /** The form of what is no object; undefined where the client takes none of them. */
  get #plainForm(): Form | undefined {
    return formAsked(this.header('accept'), this.#known, PLAIN);
  }

  json(code: number, body: unknown, contentType = 'application/json'): void {
    // A line of JSON ends with a newline; indented JSON does not.
    const text = this.pretty ? prettyJson(body) : `${goJson(body)}\n`;
    this.text(code, text, contentType);
  }

  /**
   * JSON of a long list, part by part: between two parts other requests have a turn. The items do not
   * change meanwhile, as stored objects never do.
   *
   * @param field - the one with the items: `items` or `rows`.
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

  /** Resolves when the client has read what was written, or has gone. */
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

  /** Go writes YAML by way of a map: its keys are sorted. */
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

  /** `404 page not found` and the like: what Go's own server says. */
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
    // A client that takes no form of a Status gets one that is for people.
    const indented = this.pretty || form === undefined;
    const text = indented ? prettyJson(status) : `${goJson(status)}\n`;
    this.text(error.status, text, 'application/json', headers);
  }
}

/** Values that are nested deeper than people read go out as JSON, which is YAML as well. */
function yamlText(value: unknown): string {
  return isDeeper(value, READABLE_LEVELS) ? `${jsonText(value)}\n` : formatYaml(value);
}
