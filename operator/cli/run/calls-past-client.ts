import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import type { CallHandler, Interceptor } from '../../client/call.ts';

/** One effect of a reconciler that a dry run cannot prevent. */
export interface CallPastClient {
  readonly controller: string;
  readonly key: string;
  /**
   * The action, with its target if that is known. It contains no path, query or argument, because
   * they can contain a secret.
   */
  readonly what: string;
}

interface Attempt {
  readonly controller: string;
  readonly key: string;
  /** Number of reported requests of this attempt. Their connections are not reported again. */
  requests: number;
}

type Tell = (call: CallPastClient) => void;

/**
 * Notices when a reconciler bypasses its client by requests (`fetch`, undici, `node:http`, `node:https`), by
 * connections (`node:net`, `node:tls`), or by processes (`node:child_process`). It uses the diagnostics
 * channels of Node and undici. Each kind of effect is reported once per controller.
 *
 * It does not notice files, UDP, worker threads, native code, or bytes on a connection that was
 * already open. It also does not notice work that other code of the module does for the reconciler,
 * such as a queue with its own timer.
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

  /** Notices effects from now on, until the returned object is disposed. */
  listen(): Disposable {
    for (const [channel, handler] of this.#handlers) diagnostics.subscribe(channel, handler);
    return {
      [Symbol.dispose]: () => {
        for (const [channel, handler] of this.#handlers) diagnostics.unsubscribe(channel, handler);
      },
    };
  }

  /** Runs `attempt` and notices its effects, both before and after its promise settles. */
  during<T>(controller: string, key: string, attempt: () => Promise<T>): Promise<T> {
    return this.#attempts.run({ controller, key, requests: 0 }, attempt);
  }

  /** An interceptor for a client whose requests must not be reported. */
  readonly client: Interceptor = (next): CallHandler => {
    return (call) => this.#attempts.run(undefined, () => next(call));
  };

  #requested(what: string): void {
    const attempt = this.#attempts.getStore();
    if (attempt !== undefined) attempt.requests++;
    this.#report('request', what);
  }

  /**
   * Reports a connection. `node:http` opens its connection before it reports the request, so this
   * waits until the call has returned.
   */
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
