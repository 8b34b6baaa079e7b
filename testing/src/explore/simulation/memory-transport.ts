import { Readable } from 'node:stream';
import type { Clock } from 'chancery';
import type { Cancel, TransportRequest, TransportResponse } from 'chancery/internal';
import { AmbassadorError, DEADLINES_MS } from 'chancery/internal-testing';
import type { Transport } from 'chancery/low-level';
import type { ApiServer } from '../../apiserver/api-server.ts';
import { parsePath } from '../../apiserver/http/exchange/request-info.ts';
import type { PendingEvent, PendingEvents } from './pending-events.ts';

export interface MemoryTransportOptions {
  readonly server: ApiServer;
  readonly pending: PendingEvents;
  /** The clock of the operator. */
  readonly clock: Clock;
  /** Called when the server carries out a request. This function must call `act`. */
  readonly carryOut: (exchange: ExchangeFacts, act: () => void) => void;
  /** Called when the operator receives the answer of a call. */
  readonly answered: (exchange: ExchangeFacts, status: number, body: string) => void;
  /** Removes from a request or answer the values that differ between orders of events. */
  readonly plain: (text: string) => string;
  /** The reconcile that sends the current request. */
  readonly sender: () => Sender | undefined;
  /** Called when the operator receives a chunk of a watch's body. */
  readonly delivered: (exchange: ExchangeFacts, chunk: string) => void;
}

/** A reconcile that sends requests. */
export interface Sender {
  readonly controller: string;
  readonly key: string;
}

/**
 * The facts about a request that are needed for schedules, for descriptions of runs, and for
 * states.
 */
export interface ExchangeFacts {
  readonly label: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly isWatch: boolean;
  readonly resource: string;
  /** The object or collection, such as `deployments/default/demo`. */
  readonly about: string;
  readonly isWrite: boolean;
  /** The reconcile that sent the request; undefined for requests outside of reconciles. */
  readonly sender: Sender | undefined;
}

/**
 * Connects to an API server in this process. Every request, answer and delivery waits until the
 * simulation lets it happen.
 */
export class MemoryTransport implements Transport {
  readonly #options: MemoryTransportOptions;
  readonly #open = new Set<MemoryExchange>();
  #dead = false;

  constructor(options: MemoryTransportOptions) {
    this.#options = options;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#dead) return new Promise(() => {});
    if (request.signal.aborted) return Promise.reject(request.signal.reason);
    const exchange = new MemoryExchange(request, this.#options, () => this.#open.delete(exchange));
    this.#open.add(exchange);
    return exchange.head;
  }

  async close(): Promise<void> {
    for (const exchange of [...this.#open]) exchange.fail(new Error('the transport was closed'));
  }

  /**
   * Behaves like the death of the process: the operator receives nothing more, and its watches end
   * at the server.
   */
  kill(): void {
    this.#dead = true;
    for (const exchange of [...this.#open]) exchange.kill();
  }
}

/** One request and its answer. */
class MemoryExchange {
  readonly #request: TransportRequest;
  readonly #options: MemoryTransportOptions;
  readonly #facts: ExchangeFacts;
  readonly #ended: () => void;
  readonly #head = Promise.withResolvers<TransportResponse>();
  readonly #cancelDeadline: Cancel | undefined;
  #body: Readable | undefined;
  #abandon: (() => void) | undefined;
  #isOver = false;

  constructor(request: TransportRequest, options: MemoryTransportOptions, ended: () => void) {
    this.#request = request;
    this.#options = options;
    this.#ended = ended;
    this.#facts = factsOf(request, (text) => options.pending.labelOf(text), options.sender());
    request.signal.addEventListener('abort', this.#onAbort, { once: true });
    const deadlineMs = DEADLINES_MS[request.purpose];
    this.#cancelDeadline =
      deadlineMs === undefined
        ? undefined
        : options.clock.schedule(deadlineMs, () => this.fail(this.#tooLate(deadlineMs)));
    this.#wait(
      'request',
      () => this.#reach(),
      () => this.#facts.body ?? '',
    );
  }

  get head(): Promise<TransportResponse> {
    return this.#head.promise;
  }

  /** Fails the exchange. Has no effect after another failure, or after the last byte. */
  fail(error: Error): void {
    if (this.#isOver) return;
    this.#end();
    this.#abandon?.();
    if (this.#body === undefined) this.#head.reject(error);
    else this.#body.destroy(error);
  }

  kill(): void {
    this.#end();
    this.#abandon?.();
  }

  readonly #onAbort = (): void => this.fail(this.#request.signal.reason as Error);

  #reach(): void {
    const { server, carryOut } = this.#options;
    const { method, path, headers = {}, body } = this.#request;
    try {
      this.#request.beforeSend?.();
    } catch (error) {
      this.fail(error as Error);
      return;
    }
    if (this.#isOver) return;
    const given = headers as Readonly<Record<string, string>>;
    const sent = { host: '127.0.0.1', 'user-agent': 'chancery', ...given };
    const receiver = this.#facts.isWatch ? this.#watchReceiver() : this.#callReceiver();
    carryOut(this.#facts, () => {
      this.#abandon = server.exchange({ method, path, headers: sent, body }, receiver);
    });
  }

  #callReceiver(): Parameters<ApiServer['exchange']>[1] {
    const chunks: Buffer[] = [];
    let head: Pick<TransportResponse, 'status' | 'headers'> | undefined;
    const arrive = (): void => {
      if (head === undefined) return;
      const { status, headers } = head;
      const bytes = Buffer.concat(chunks);
      this.#end();
      this.#options.answered(this.#facts, status, bytes.toString('utf8'));
      const body = Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false });
      this.#head.resolve({ status, headers, body });
    };
    return {
      head: (status, headers) => {
        head = { status, headers };
      },
      data: (chunk) => void chunks.push(chunk),
      end: () =>
        this.#wait(
          'answer',
          arrive,
          () => `${head?.status} ${Buffer.concat(chunks).toString('utf8')}`,
        ),
      broken: () =>
        this.#wait(
          'answer',
          () => this.#break(),
          () => 'broken',
        ),
    };
  }

  #watchReceiver(): Parameters<ApiServer['exchange']>[1] {
    const deliver = (chunk: Buffer) => (): void => {
      this.#options.delivered(this.#facts, chunk.toString('utf8'));
      this.#body?.push(chunk);
    };
    return {
      head: (status, headers) =>
        this.#wait(
          'answer',
          () => this.#openBody(status, headers),
          () => String(status),
        ),
      data: (chunk) => this.#wait('delivery', deliver(chunk), () => chunk.toString('utf8')),
      end: () =>
        this.#wait(
          'delivery',
          () => this.#finish(),
          () => 'end',
        ),
      broken: () =>
        this.#wait(
          'delivery',
          () => this.#break(),
          () => 'broken',
        ),
    };
  }

  #openBody(status: number, headers: Readonly<Record<string, string>>): void {
    this.#options.answered(this.#facts, status, '');
    const body = new Readable({
      read() {},
      destroy: (error, done) => {
        if (!this.#isOver) this.kill();
        done(error);
      },
    });
    // Like in the socket transport, a failure that nobody reads does not end the process.
    body.on('error', () => {});
    this.#body = body;
    this.#head.resolve({ status, headers, body });
  }

  #finish(): void {
    this.#end();
    this.#body?.push(null);
  }

  #wait(kind: PendingEvent['kind'], happen: () => void, content: () => string): void {
    if (this.#isOver) return;
    const { about, isWrite, label, method, path } = this.#facts;
    const canBeLost = kind === 'answer' && isWrite;
    this.#options.pending.add({
      kind,
      label:
        kind === 'delivery'
          ? this.#options.pending.labelOf(`delivery ${label}`)
          : `${kind} ${label}`,
      stream: label,
      about,
      isWrite,
      content: () => `${kind} ${method} ${this.#options.plain(`${path} ${content()}`)}`,
      happen,
      ...(canBeLost && { lose: () => this.#break() }),
    });
  }

  #break(): void {
    const { method, path } = this.#facts;
    const context = { method, path: path.split('?', 1)[0] ?? '' };
    this.fail(
      this.#body === undefined
        ? new AmbassadorError('the connection to the ambassador broke before it answered', {
            code: 'AMBASSADOR_UNREACHABLE',
            fate: 'unknown',
            context,
          })
        : new AmbassadorError('the answer broke off', {
            code: 'CONNECTION_LOST',
            fate: 'unknown',
            context,
          }),
    );
  }

  #tooLate(timeoutMs: number): AmbassadorError {
    const { method, path } = this.#facts;
    return new AmbassadorError('the answer was not complete in time', {
      code: 'AMBASSADOR_TIMEOUT',
      fate: 'unknown',
      context: { method, path: path.split('?', 1)[0] ?? '', timeoutMs },
    });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelDeadline?.();
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    this.#options.pending.drop(this.#facts.label);
    this.#ended();
  }
}

function factsOf(
  { method, path, body, purpose, headers = {} }: TransportRequest,
  labelOf: (text: string) => string,
  sender: Sender | undefined,
): ExchangeFacts {
  const [place = ''] = path.split('?', 1);
  const info = parsePath(place);
  const isWatch = purpose === 'watch';
  const about =
    info === undefined
      ? place
      : [info.resource, info.namespace, info.name].filter((part) => part).join('/');
  const part = info?.subresource === undefined ? '' : `/${info.subresource}`;
  const verb = verbOf(method, {
    isWatch,
    hasName: info?.name !== undefined,
    isApply: headers['content-type']?.startsWith('application/apply-patch') === true,
  });
  return {
    label: labelOf(`${verb} ${about}${part}`),
    method,
    path,
    body,
    isWatch,
    resource: info?.resource ?? place,
    about,
    isWrite: method !== 'GET',
    sender,
  };
}

function verbOf(
  method: string,
  { isWatch, hasName, isApply }: { isWatch: boolean; hasName: boolean; isApply: boolean },
): string {
  if (isWatch) return 'watch';
  if (method === 'GET') return hasName ? 'get' : 'list';
  if (method === 'PATCH') return isApply ? 'apply' : 'patch';
  return { POST: 'create', PUT: 'update', DELETE: 'delete' }[method] ?? method.toLowerCase();
}
