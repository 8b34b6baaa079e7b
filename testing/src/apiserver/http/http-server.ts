import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, resourceName } from 'chancery/internal-objects';
import type { Caller } from '../auth/user.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { internalError } from '../failures/failure.ts';
import {
  isUnknownPath,
  methodNotAllowed,
  notServed,
  unknownPath,
  unknownResource,
} from '../failures/request-failures.ts';
import type { FaultRules } from '../fault-rules/fault-rules.ts';
import type { ResourceName } from '../objects/stored-object.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ListOptions } from '../request/list-options.ts';
import type { SecurePort } from '../tls/secure-port.ts';
import { admit } from './admit.ts';
import { EventLines } from './exchange/event-lines.ts';
import { Exchange, type HttpRequest, type HttpResponse } from './exchange/exchange.ts';
import type { View } from './exchange/present.ts';
import { parsePath, type RequestInfo } from './exchange/request-info.ts';
import { handleDiscovery } from './handlers/handle-discovery.ts';
import { handleResource } from './handlers/handle-resource.ts';
import { WatchStream } from './handlers/watch-stream.ts';
import {
  type InMemoryReceiver,
  type InMemoryRequest,
  ResponseInMemory,
  requestInMemory,
} from './in-memory.ts';
import { injectFault } from './inject-fault.ts';
import type { RecordedRequest } from './recorded-request.ts';

export interface HttpServerOptions {
  /** The maximum number of recorded requests. The oldest requests are dropped first. */
  readonly requestLimit: number;
  /** The address to listen on. */
  readonly address: string;
  /**
   * How long a client may take to send a body, in milliseconds. If undefined, the limit of a real server
   * applies.
   */
  readonly bodyTimeoutMs?: number | undefined;
  readonly faults: FaultRules;
}

/** The HTTP side of the server: maps requests to verbs, and sends events to open watches. */
export class HttpServer {
  readonly #cluster: Cluster;
  readonly #options: HttpServerOptions;
  readonly #watches = new Set<WatchStream>();
  readonly #lines = new EventLines();
  readonly #requests: RecordedRequest[] = [];
  readonly #servers = new Set<Server>();
  readonly #securePorts = new Set<SecurePort>();

  constructor(cluster: Cluster, options: HttpServerOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /**
   * Opens a port.
   * @param caller - the sender of all requests on this port that have no token. A port with a `caller` is
   * only open to this machine.
   * @returns the number of the port: `port` itself, or any free port if `port` is 0.
   */
  async listen(port: number, caller?: Caller): Promise<number> {
    // An import would also load Node's WebSocket and fetch, which takes a third of the start time.
    const { createServer } = process.getBuiltinModule('node:http');
    const server = createServer((request, response) => {
      void this.#answer(request, response, caller);
    });
    // A watch is silent while nothing changes, so requests have no time limit.
    server.requestTimeout = 0;
    server.keepAliveTimeout = 60_000;
    server.listen(port, caller === undefined ? this.#options.address : '127.0.0.1');
    await once(server, 'listening');
    this.#servers.add(server);
    return (server.address() as AddressInfo).port;
  }

  /** Like `listen`, with TLS. Each request has its own credentials, or its sender is anonymous. */
  async listenSecurely(port: number, secure: SecurePort): Promise<number> {
    this.#securePorts.add(secure);
    return secure.listen(port, this.#options.address, (request, response) => {
      void this.#answer(request, response, undefined);
    });
  }

  /**
   * Answers a request that comes without a socket.
   *
   * @returns a function to call when the client is gone. After that nothing more is written.
   */
  exchange(request: InMemoryRequest, receiver: InMemoryReceiver): () => void {
    const response = new ResponseInMemory(receiver);
    void this.#answer(requestInMemory(request), response, undefined);
    return () => response.abandon();
  }

  /** Stops listening and closes every connection. */
  async close(): Promise<void> {
    const servers = [...this.#servers];
    const securePorts = [...this.#securePorts];
    this.#servers.clear();
    this.#securePorts.clear();
    await Promise.all([
      ...securePorts.map((secure) => secure.close()),
      ...servers.map(async (server) => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }),
    ]);
  }

  closeWatches(how: 'clean' | 'reset', resource?: ResourceName): void {
    for (const watch of [...this.#watches]) {
      if (resource === undefined || resourceName(watch.served) === resource) watch.close(how);
    }
  }

  async #answer(
    request: HttpRequest,
    response: HttpResponse,
    caller: Caller | undefined,
  ): Promise<void> {
    const { ManagedFieldsOptOut: drop } = this.#cluster.behaviour.featureGates;
    const exchange = new Exchange(request, response, { drop });
    exchange.bodyTimeoutMs = this.#options.bodyTimeoutMs;
    this.#record(exchange);
    const gone = new AbortController();
    // An abort makes a stack trace, which takes time, so only a request that is not yet answered is aborted.
    response.once('close', () => {
      if (!response.writableEnded) gone.abort();
    });
    try {
      const fault = this.#options.faults.take(exchange.method, exchange.path, exchange.query);
      if (
        fault !== undefined &&
        (await injectFault(fault, exchange, this.#cluster.clock, gone.signal))
      )
        return;
      exchange.caller = admit(exchange, this.#cluster, caller);
      await this.#route(exchange, gone.signal);
    } catch (error) {
      if (gone.signal.aborted) return;
      const failed = error instanceof ApiError ? error : internalError(bugReport(error));
      if (response.headersSent) response.destroy();
      else this.#fail(exchange, failed);
    } finally {
      // An unread body would keep the connection busy.
      request.resume();
    }
  }

  async #route(exchange: Exchange, signal: AbortSignal): Promise<void> {
    const { registry } = this.#cluster;
    const address = exchange.header('host') ?? '';
    if (handleDiscovery(exchange, this.#cluster, address)) return;
    const info = parsePath(exchange.path);
    const served =
      info === undefined ? undefined : registry.byPath(info.group, info.version, info.resource);
    if (info === undefined || served === undefined) {
      throw isRouted(exchange.path, registry) ? unknownResource() : unknownPath();
    }
    if (exchange.method === 'HEAD' || exchange.method === 'OPTIONS') throw methodNotAllowed();
    if (!served.namespaced && info.namespace !== undefined) throw notServed(served);
    const namespace = info.namespace || undefined;
    const isRead = exchange.method === 'GET' && info.name === undefined;
    if (served.custom && served.namespaced && namespace === undefined && !isRead) {
      throw notServed(served);
    }
    await this.#handle(exchange, served, { ...info, namespace }, signal);
  }

  #fail(exchange: Exchange, failed: ApiError): void {
    const { gates } = this.#cluster.behaviour;
    if (isUnknownPath(failed) && !gates.statusOfUnknownPaths) {
      exchange.plain(404, '404 page not found\n');
    } else exchange.fail(failed);
  }

  #handle(
    exchange: Exchange,
    served: ServedResource,
    info: RequestInfo,
    signal: AbortSignal,
  ): Promise<void> {
    return handleResource({
      cluster: this.#cluster,
      exchange,
      served,
      info,
      signal,
      watch: (options, view) => this.#watch(exchange, served, options, view),
    });
  }

  #watch(exchange: Exchange, served: ServedResource, options: ListOptions, view: View): void {
    const stream = new WatchStream(this.#cluster, served, options, exchange, view, this.#lines);
    this.#watches.add(stream);
    const cut = exchange.watchCut;
    const cancel = cut && this.#cluster.later(cut.afterMs, () => stream.close(cut.how));
    stream.start(() => {
      this.#watches.delete(stream);
      cancel?.();
    });
  }

  #record(exchange: Exchange): void {
    const { method, path, query, request } = exchange;
    const at = this.#cluster.clock.monotonic();
    const { headers } = request;
    this.#requests.push({
      method,
      path,
      query,
      headers,
      at,
      get user() {
        return exchange.sender?.name;
      },
      get auditAnnotations() {
        return exchange.auditAnnotations;
      },
    });
    if (this.#requests.length > this.#options.requestLimit) this.#requests.shift();
  }
}

const ISSUER_PATHS = ['/.well-known/openid-configuration/', '/openid/v1/jwks/'];

/**
 * Whether a router answers requests for a path that is not served. Each built-in group has one router for all
 * of its versions. The router's answers contain no details. All other paths that are not served go to another
 * handler (k8s.io/apiserver, pkg/server/handler.go, `director`).
 */
function isRouted(path: string, registry: Registry): boolean {
  const [root, group = ''] = path.split('/').slice(1);
  if (root === 'api' || root === 'version') return true;
  if (ISSUER_PATHS.some((prefix) => path.startsWith(prefix))) return true;
  return root === 'apis' && group !== '' && registry.isBuiltIn(group);
}

function bugReport(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) {
    return 'embedded API server: the request is nested deeper than this server can treat it';
  }
  return `embedded API server: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
