import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../controller/reconciler.ts';
import { HttpListener, refusesHost, send } from './listener.ts';

/**
 * One thing that must be well. Answers at once, from memory, and never waits: a probe has a second, and
 * an API server that is slow must not fail it.
 */
export interface HealthCheck {
  /** What `/healthz/NAME` and `?exclude=NAME` call it. */
  readonly name: string;
  /** True when it is well. One that throws has failed. */
  readonly ok: () => boolean;
  /** Why it is not, for the log only: anybody may read a probe's answer. */
  readonly why?: () => object;
}

/** Checks of the user's, beside those that a manager makes itself. */
export interface HealthChecks {
  /** For `/healthz`: facts of this process only, for a failure restarts it. Default: none. */
  readonly live?: readonly HealthCheck[];
  /** For `/readyz`. Default: none. */
  readonly ready?: readonly HealthCheck[];
}

export interface HealthServerOptions {
  readonly port: number;
  readonly host: string;
  /** Facts of this process only: an API server that is away must not restart the operator. */
  readonly live: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
  /** Answers what is no probe; false for what it does not know either. Default: nothing does. */
  readonly others?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Host names that `others` answers to, besides those of `isAcceptedHost`. Default: none. */
  readonly hosts?: readonly string[];
  /** Told when a check begins to fail, and when it holds again. Default: nobody is. */
  readonly log?: Pick<Log, 'info' | 'warn'>;
}

interface Result {
  readonly name: string;
  readonly outcome: 'ok' | 'failed' | 'excluded';
}

const PING: HealthCheck = { name: 'ping', ok: () => true };

/**
 * `/healthz`, its alias `/livez`, and `/readyz`, answering as controller-runtime does, whatever host a
 * request names: the kubelet may be told to send any.
 */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #listener: HttpListener;
  /** Checks that failed when they were last asked. */
  readonly #failing = new Set<HealthCheck>();

  constructor(options: HealthServerOptions) {
    const { port, host } = options;
    this.#options = options;
    this.#listener = new HttpListener({
      purpose: 'health',
      port,
      host,
      answer: (request, response) => this.#answer(request, response),
    });
  }

  /** @throws ConfigurationError `CONFIG` when the port cannot be had. */
  start(): Promise<void> {
    return this.#listener.start();
  }

  /** The port that is listened on; of interest when the configured one was 0. */
  get port(): number {
    return this.#listener.port;
  }

  /** Frees the port, whatever is being read from it. Twice does nothing. */
  stop(): Promise<void> {
    return this.#listener.stop();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    // Anybody may send anything here, such as `//`, which is no URL.
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

  #checksOf(endpoint: string): readonly HealthCheck[] | undefined {
    if (endpoint === 'healthz' || endpoint === 'livez') return [PING, ...this.#options.live];
    if (endpoint === 'readyz') return [PING, ...this.#options.ready];
    return undefined;
  }

  #ask(check: HealthCheck, excluded: ReadonlySet<string>): Result {
    const { name } = check;
    if (excluded.has(name)) return { name, outcome: 'excluded' };
    const { ok, ...reason } = resultOf(check);
    if (!ok && !this.#failing.has(check)) {
      this.#failing.add(check);
      this.#options.log?.warn({ check: name, ...reason }, 'health check failed');
    } else if (ok && this.#failing.delete(check)) {
      this.#options.log?.info({ check: name }, 'health check holds again');
    }
    return { name, outcome: ok ? 'ok' : 'failed' };
  }
}

/** A check that throws has failed; thrown on, it would end the process. */
function resultOf({ ok, why }: HealthCheck): { readonly ok: boolean } {
  try {
    // A promise would be true whatever it comes to.
    if (ok() === true) return { ok: true };
    return { ...why?.(), ok: false };
  } catch (err) {
    return { ...{ err }, ok: false };
  }
}

/** The last line says `healthz` whatever was asked for, as controller-runtime's does. */
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
