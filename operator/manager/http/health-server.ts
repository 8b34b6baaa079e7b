import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../controller/reconciler.ts';
import { HttpListener, portUnavailable, refusesHost, send } from './listener.ts';

/**
 * One condition that must hold. A check answers at once, from memory, and never waits: a probe times out
 * after a second, and a slow API server must not fail it.
 */
export interface HealthCheck {
  /** The name of the check in `/healthz/NAME` and `?exclude=NAME`. */
  readonly name: string;
  /** True when the condition holds. A check that throws has failed. */
  readonly ok: () => boolean;
  /** Why the condition does not hold. This is only logged, because anyone may read the answer to a probe. */
  readonly why?: () => object;
}

/**
 * A check of the manager itself. The check can report that the process is still starting, and that a failure
 * is therefore normal.
 */
export interface StartCheck extends HealthCheck {
  /**
   * True while the process is starting and nothing has gone wrong. During startup it is normal that the check
   * fails, and the log does not mention it.
   */
  readonly starting?: () => boolean;
}

/** The user's checks, in addition to the manager's own checks. */
export interface HealthChecks {
  /**
   * The checks of `/healthz`. They may only check this process, because a failure restarts the process.
   * Default: none.
   */
  readonly live?: readonly HealthCheck[];
  /** The checks of `/readyz`. Default: none. */
  readonly ready?: readonly HealthCheck[];
}

export interface HealthServerOptions {
  readonly port: number;
  readonly host: string;
  /**
   * These checks may only test this process itself: an unreachable API server must not restart the operator.
   */
  readonly live: readonly HealthCheck[];
  readonly ready: readonly StartCheck[];
  /**
   * Answers requests that are not probes. Returns false for a request that it does not handle. Default: none.
   */
  readonly others?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /**
   * Answers POST requests. Returns false for a request that it does not handle. Default: POST is not allowed.
   */
  readonly posted?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Additional host names for `isAcceptedHost`, in requests to `others` and `posted`. Default: none. */
  readonly hosts?: readonly string[];
  /**
   * The log to which a line is written when a check begins to fail, and when it passes again. A check that
   * fails only because the process is still starting is not logged. Default: no log.
   */
  readonly log?: Pick<Log, 'info' | 'warn'>;
}

interface Result {
  readonly name: string;
  readonly outcome: 'ok' | 'failed' | 'excluded';
}

const PING: HealthCheck = { name: 'ping', ok: () => true };

/**
 * Serves `/healthz`, its alias `/livez`, and `/readyz`, with the answers of controller-runtime. Any Host
 * header is accepted, because the kubelet can be configured to send any.
 */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #listener: HttpListener;
  /** Checks that failed at the last probe. */
  readonly #failing = new Set<HealthCheck>();

  constructor(options: HealthServerOptions) {
    const { port, host, posted } = options;
    this.#options = options;
    this.#listener = new HttpListener({
      unavailable: portUnavailable('health', { port, host }),
      port,
      host,
      ...(posted && { methods: ['GET', 'HEAD', 'POST'] }),
      answer: (request, response) =>
        request.method === 'POST'
          ? this.#answerPost(request, response)
          : this.#answer(request, response),
    });
  }

  /** @throws ConfigurationError `CONFIG` when the port is not available. */
  start(): Promise<void> {
    return this.#listener.start();
  }

  /** The port that the server listens on. Needed when the configured port was 0. */
  get port(): number {
    return this.#listener.port;
  }

  /** Frees the port, even while clients are reading answers. Idempotent. */
  stop(): Promise<void> {
    return this.#listener.stop();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    // Clients may send any target, such as `//`, which is not a URL.
    const [path = '', query] = (request.url ?? '').split('?', 2);
    const parameters = new URLSearchParams(query);
    const [, endpoint = '', ...rest] = path.split('/');
    const only = rest.join('/');
    const checks = this.#checksOf(endpoint)?.filter(({ name }) => only === '' || name === only);
    if (checks === undefined || checks.length === 0) {
      const { hosts = [], others } = this.#options;
      if (refusesHost(request, response, hosts)) return;
      if (others?.(request, response) === true) return;
      send(response, 404, '404 page not found\n');
      return;
    }
    const excluded = new Set(parameters.getAll('exclude'));
    const results = checks.map((check) => this.#ask(check, excluded));
    const unknown = [...excluded].filter((name) => !results.some((result) => result.name === name));
    const healthy = results.every(({ outcome }) => outcome !== 'failed');
    const isVerbose = !healthy || parameters.has('verbose');
    send(response, healthy ? 200 : 500, isVerbose ? verbose(results, unknown, healthy) : 'ok');
  }

  #answerPost(request: IncomingMessage, response: ServerResponse): void {
    const { hosts = [], posted } = this.#options;
    if (refusesHost(request, response, hosts)) return;
    if (posted?.(request, response) === true) return;
    response.setHeader('allow', 'GET, HEAD');
    send(response, 405, 'method not allowed\n');
  }

  #checksOf(endpoint: string): readonly StartCheck[] | undefined {
    if (endpoint === 'healthz' || endpoint === 'livez') return [PING, ...this.#options.live];
    if (endpoint === 'readyz') return [PING, ...this.#options.ready];
    return undefined;
  }

  #ask(check: StartCheck, excluded: ReadonlySet<string>): Result {
    const { name } = check;
    if (excluded.has(name)) return { name, outcome: 'excluded' };
    const { ok, ...reason } = resultOf(check);
    if (!ok && !this.#failing.has(check) && check.starting?.() !== true) {
      this.#failing.add(check);
      this.#options.log?.warn({ check: name, ...reason }, 'health check failed');
    } else if (ok && this.#failing.delete(check)) {
      this.#options.log?.info({ check: name }, 'health check passes again');
    }
    return { name, outcome: ok ? 'ok' : 'failed' };
  }
}

/** A check that throws has failed. An error that escaped from here would end the process. */
function resultOf({ ok, why }: HealthCheck): { readonly ok: boolean } {
  try {
    // A promise would be truthy, whether it resolves to true or false.
    if (ok() === true) return { ok: true };
    return { ...why?.(), ok: false };
  } catch (err) {
    return { ...{ err }, ok: false };
  }
}

/** The last line of the answer always contains `healthz`, as in controller-runtime. */
function verbose(results: readonly Result[], unknown: readonly string[], healthy: boolean): string {
  const lines = results.map(({ name, outcome }) => {
    if (outcome === 'excluded') return `[+]${name} excluded: ok`;
    return outcome === 'ok' ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
  });
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  return `${lines.join('\n')}\nhealthz check ${healthy ? 'passed' : 'failed'}\n`;
}
