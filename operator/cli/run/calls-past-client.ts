import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import type { CallHandler, Interceptor } from '../../client/call.ts';

/** One effect of a reconciler that a dry run does not hold back. */
export interface CallPastClient {
  readonly controller: string;
  readonly key: string;
  /** What the code did, with its target if that is known: no path, query or argument, which can contain a secret. */
  readonly what: string;
}

interface Attempt {
  readonly controller: string;
  readonly key: string;
  /** A request of this attempt was reported just now; it opens a connection, which is not reported again. */
  requests: number;
}

type Tell = (call: CallPastClient) => void;

/**
 * Notices what a reconciler does past its client: requests (`fetch`, undici, `node:http`, `node:https`),
 * connections (`node:net`, `node:tls`) and processes (`node:child_process`), by the diagnostics channels of Node
 * and undici. Each kind is reported once for a controller.
 *
 * It does not notice files, UDP, worker threads, native code, bytes on a connection that was open before, or work
 * that another part of the module does for the reconciler, such as a queue with its own timer.
 */
export class CallsPastClient {
  readonly #tell: Tell;
  readonly #attempts = new AsyncLocalStorage<Attempt | undefined>();
  readonly #reported = new Set<string>();
  readonly #handlers: readonly (readonly [channel: string, handler: (message: unknown) => void])[] =
    [
      ['undici:request:create', (message) => this.#requested(undiciRequest(message))],
      ['http.client.request.created', (message) => this.#requested(httpRequest(message))],
      ['net.client.socket', () => this.#connected()],
      ['child_process', () => this.#report('process', 'starts a program')],
    ];

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** Notices from now on, until the returned object is disposed of. */
  listen(): Disposable {
    for (const [channel, handler] of this.#handlers) diagnostics.subscribe(channel, handler);
    return {
      [Symbol.dispose]: () => {
        for (const [channel, handler] of this.#handlers) diagnostics.unsubscribe(channel, handler);
      },
    };
  }

  /** Runs `attempt`, and notices what it does, until its promise settles and after that. */
  during<T>(controller: string, key: string, attempt: () => Promise<T>): Promise<T> {
    return this.#attempts.run({ controller, key, requests: 0 }, attempt);
  }

  /** Surrounds the calls of a client: what a call sends is not past the client. */
  readonly client: Interceptor = (next): CallHandler => {
    return (call) => this.#attempts.run(undefined, () => next(call));
  };

  #requested(what: string): void {
    const attempt = this.#attempts.getStore();
    if (attempt !== undefined) attempt.requests++;
    this.#report('request', what);
  }

  /** `node:http` opens its connection before it tells of the request: wait until the call has returned. */
  #connected(): void {
    const attempt = this.#attempts.getStore();
    if (attempt === undefined) return;
    queueMicrotask(() => {
      if (attempt.requests === 0) this.#report('connection', 'opens a connection');
    });
  }

  #report(kind: string, what: string): void {
    const attempt = this.#attempts.getStore();
    if (attempt === undefined) return;
    const { controller, key } = attempt;
    const id = JSON.stringify([controller, kind]);
    if (this.#reported.has(id)) return;
    this.#reported.add(id);
    this.#tell({ controller, key, what });
  }
}

function undiciRequest(message: unknown): string {
  const { request } = message as {
    readonly request?: { readonly method?: unknown; readonly origin?: unknown };
  };
  return sends(request?.method, request?.origin);
}

function httpRequest(message: unknown): string {
  const { request } = message as {
    readonly request?: {
      readonly method?: unknown;
      readonly protocol?: unknown;
      readonly host?: unknown;
    };
  };
  return sends(request?.method, `${request?.protocol}//${request?.host}`);
}

function sends(method: unknown, origin: unknown): string {
  return `sends a request (${String(method)} ${String(origin)})`;
}
