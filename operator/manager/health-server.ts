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
    // For "all addresses" Node itself falls back to IPv4 on a machine without IPv6.
    this.#server.listen(port, host === '::' ? undefined : host);
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
    // Anybody may send anything here, such as `//`, which is no URL.
    const [path = '', query] = (request.url ?? '').split('?', 2);
    const searchParams = new URLSearchParams(query);
    const [, endpoint = '', ...rest] = path.split('/');
    const only = rest.join('/');
    const checks = this.#checksOf(endpoint)?.filter(({ name }) => only === '' || name === only);
    if (checks === undefined || checks.length === 0) {
      send(response, 404, '404 page not found\n');
      return;
    }
    const excluded = new Set(searchParams.getAll('exclude'));
    const results = checks.map((check) => {
      const skipped = excluded.has(check.name);
      return { name: check.name, skipped, ok: skipped || holds(check) };
    });
    const healthy = results.every(({ ok }) => ok);
    if (healthy && !searchParams.has('verbose')) {
      send(response, 200, 'ok');
      return;
    }
    const lines = results.map(({ name, skipped, ok }) => {
      if (skipped) return `[+]${name} excluded: ok`;
      return ok ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
    });
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

/** A check that throws has failed; thrown on, it would end the process. */
function holds({ ok }: HealthCheck): boolean {
  try {
    return ok();
  } catch {
    return false;
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
