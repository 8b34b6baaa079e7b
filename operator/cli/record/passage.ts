import type { IncomingMessage } from 'node:http';
import { isOutputOfProgram } from '../../model/masks/masked-call.ts';
import { type Budget, KeptBytes } from './kept-bytes.ts';
import type { Omission, RecordedExchange, RecordLimits, WatchEnd } from './recorded-exchange.ts';
import { WatchLines } from './watch-lines.ts';

/** Returns the JSON of an object in protobuf. Undefined when it cannot be read. */
export type ReadProtobuf = (bytes: Buffer) => string | undefined;

/** One request to the API server, with its answer. */
export class Passage {
  readonly id: number;
  readonly at: number;
  readonly isWatch: boolean;
  readonly #limits: RecordLimits;
  readonly #budget: Budget;
  readonly #incoming: IncomingMessage;
  readonly #request: Omit<RecordedExchange['request'], 'body'>;
  readonly #body: KeptBytes;
  #answer: Answer | undefined;

  constructor(
    { id, at }: Pick<RecordedExchange, 'id' | 'at'>,
    request: IncomingMessage,
    limits: RecordLimits,
    budget: Budget,
  ) {
    const { method = 'GET', url: path = '/' } = request;
    this.id = id;
    this.at = at;
    this.isWatch = method === 'GET' && asksForWatch(path);
    this.#limits = limits;
    this.#budget = budget;
    this.#incoming = request;
    this.#request = { method, path, headers: joined(request) };
    this.#body = new KeptBytes(limits.requestBytes, budget);
  }

  addBody(chunk: Buffer): void {
    this.#body.add(chunk);
  }

  begin(answer: IncomingMessage): void {
    const { statusCode: status = 0 } = answer;
    this.#answer = {
      status,
      headers: joined(answer),
      body:
        this.isWatch && status === 200
          ? new WatchLines(this.#limits, this.#budget, this.at)
          : new KeptBytes(this.#limits.answerBytes, this.#budget),
    };
  }

  addAnswer(chunk: Buffer, at: number): void {
    this.#answer?.body.add(chunk, at);
  }

  /** True when no further data of the exchange is recorded. */
  get isOver(): boolean {
    const body = this.#answer?.body;
    return body instanceof KeptBytes ? body.isCut : body?.endedAt !== undefined;
  }

  /**
   * The exchange as it was sent, including all secrets, or the reason why it is not recorded. This
   * must be called only once.
   */
  finish(end: WatchEnd, readProtobuf: ReadProtobuf): RecordedExchange | Omission {
    try {
      const given = this.#bodyOf(readProtobuf);
      if ('omission' in given) return given.omission;
      const response = this.#response(end);
      if (response === undefined) return 'without an answer';
      const headers = { ...this.#request.headers, ...given.headers };
      const { body } = given;
      const request = { ...this.#request, headers, ...(body !== undefined && { body }) };
      return { id: this.id, at: this.at, request, response };
    } finally {
      this.#body.release();
      this.#answer?.body.release();
    }
  }

  /**
   * The body of the request. A body in protobuf is converted to JSON, in which secrets can be
   * found.
   */
  #bodyOf(readProtobuf: ReadProtobuf): GivenBody {
    if (!this.#incoming.complete)
      return { omission: 'with a request that was not sent completely' };
    if (this.#body.length === 0) return {};
    if (this.#body.length > this.#limits.requestBytes) {
      return { omission: 'with a request over 4 MiB' };
    }
    if (this.#body.isCut) return { omission: 'beyond the limits of a recording' };
    const isProtobuf = /protobuf/i.test(this.#request.headers['content-type'] ?? '');
    const body = isProtobuf ? readProtobuf(this.#body.bytes()) : this.#body.text();
    if (body === undefined) return { omission: 'with a body that is neither JSON nor YAML' };
    return { body, ...(isProtobuf && { headers: { 'content-type': 'application/json' } }) };
  }

  #response(end: WatchEnd): RecordedExchange['response'] | undefined {
    if (this.#answer === undefined) return undefined;
    const { status, headers, body } = this.#answer;
    if (body instanceof WatchLines) {
      const { chunks, endedAt } = body;
      const ended = endedAt === undefined ? end : { at: endedAt, how: 'client closed' as const };
      return { status, headers, chunks, end: ended };
    }
    if (end.how === 'reset') return undefined; // an incomplete answer is of no use
    const text = isKeptType(headers) && !isOutputOfProgram(this.#request.path) && body.text();
    return typeof text === 'string'
      ? { status, headers, body: text }
      : { status, headers, omitted: body.length };
  }
}

type GivenBody =
  | { readonly omission: Omission }
  | { readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: KeptBytes | WatchLines;
}

function joined({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]);
  return Object.fromEntries(pairs);
}

/**
 * True for a body of a type that may be recorded. In JSON, secrets can be found and masked. Plain text is
 * short.
 */
function isKeptType(headers: Readonly<Record<string, string>>): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  return encoding === 'identity' && /^(?:application\/json|text\/plain)\b|^$/.test(type);
}

/** True for a watch. The parameter is read in the same way as by the API server. */
function asksForWatch(path: string): boolean {
  const [place = '', query = ''] = path.split('?', 2);
  const watch = new URLSearchParams(query).get('watch');
  const isOld = /^\/(?:api|apis\/[^/]+)\/[^/]+\/watch\//.test(place);
  return isOld || (watch !== null && !/^(?:false|0|)$/i.test(watch));
}
