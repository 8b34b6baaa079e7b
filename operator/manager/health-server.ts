import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '../core/errors.ts';

/** One thing that must be well. Answers at once, from memory: a probe must never wait. */
export interface HealthCheck {
  readonly name: string;
  readonly ok: () => boolean;
}

export interface HealthServerOptions {
  readonly port: number;
  readonly host: string;
  /** Facts of this process only: an API server that is away must not restart the operator. */
  readonly live: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
}

/** `/healthz`, `/livez` and `/readyz`, answering as controller-runtime does. */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #server: Server;

  constructor(options: HealthServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /** @throws ConfigurationError `CONFIG` when the port cannot be had. */
  async start(): Promise<void> {
    const { port, host } = this.#options;
    this.#server.listen(port, host);
    try {
      await once(this.#server, 'listening');
    } catch (cause) {
      throw new ConfigurationError('health port cannot be listened on', {
        cause,
        context: { port, host },
      });
    }
  }

  /** The port that is listened on; of interest when the configured one was 0. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://health');
    const [, endpoint = '', only] = pathname.split('/');
    const checks = this.#checksOf(endpoint)?.filter(
      ({ name }) => only === undefined || name === only,
    );
    if (checks === undefined || checks.length === 0) {
      send(response, 404, '404 page not found\n');
      return;
    }
    const excluded = new Set(searchParams.getAll('exclude'));
    const results = checks
      .filter(({ name }) => !excluded.has(name))
      .map(({ name, ok }) => ({ name, ok: ok() }));
    const healthy = results.every(({ ok }) => ok);
    if (healthy && !searchParams.has('verbose')) {
      send(response, 200, 'ok');
      return;
    }
    const lines = results.map(({ name, ok }) =>
      ok ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
    );
    const verdict = `${endpoint} check ${healthy ? 'passed' : 'failed'}`;
    send(response, healthy ? 200 : 500, `${[...lines, verdict].join('\n')}\n`);
  }

  #checksOf(endpoint: string): readonly HealthCheck[] | undefined {
    const ping = { name: 'ping', ok: () => true };
    if (endpoint === 'healthz' || endpoint === 'livez') return [ping, ...this.#options.live];
    if (endpoint === 'readyz') return [ping, ...this.#options.ready];
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache, no-store',
  });
  response.end(body);
}
