import type { Clock } from '../core/clock.ts';
import { type Meter, noMeter } from '../core/metrics.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { parseApiUrl } from '../transport/api-url.ts';
import { connector } from '../transport/connector.ts';
import { type Fence, fencedTransport } from '../transport/fenced-transport.ts';
import { meteredTransport } from '../transport/metered-transport.ts';
import type { Transport } from '../transport/transport.ts';
import { undiciTransport } from '../transport/undici-transport.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import { oncePerText } from './answer.ts';
import type { PartsAround } from './around-calls.ts';
import type { Client } from './client.ts';
import { surround } from './client-of.ts';
import { retry } from './interceptors/retry.ts';
import { restClient } from './rest-client.ts';
import type { FieldValidation } from './rest-request.ts';
import { listWatch, type Scope } from './source.ts';

export type { Fence };

/** Access to the ambassador, for everything that makes requests. */
export interface Connection {
  readonly transport: Transport;
  /**
   * A client that retries a call for up to 10 s if that is safe: see `retry`.
   *
   * @param fence - checked before every write and before each retry. Default: no fence.
   * @param exactIntegers - see `restClient`. Default false.
   */
  clientFor(fieldManager: string, fence?: Fence, exactIntegers?: boolean): Client;
  /**
   * A client for Leases only. It has its own connections. It does not retry, because the leader elector
   * decides when a request is repeated.
   */
  leaseClientFor(fieldManager: string): Client;
  /**
   * A ListWatch of a resource. It does not retry, because the reflector decides when a request is repeated.
   */
  listWatchFor(scope: Scope & { readonly resource: Resource }): ListWatch<KubernetesObject>;
  /** Resolves to true if a process listens at the URL. Undefined when the caller passed a transport. */
  readonly isListening?: () => Promise<boolean>;
  /** Call this when nothing uses the connection any more. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly clock: Clock;
  /** Counts requests. Default: no counting. */
  readonly meter?: Meter;
  /** Also measures durations and sizes of requests: see `meteredTransport`. Default false. */
  readonly detailed?: boolean;
  /** Sends and receives the bytes. Default: `undiciTransport` to the URL. */
  readonly transport?: Transport;
  /** Wraps the transport, for example to record its requests. Default: no wrapper. */
  readonly around?: (transport: Transport) => Transport;
  /** Uniform numbers in [0, 1), for the delays of retries. Default `Math.random`. */
  readonly random?: () => number;
  /** Field validation of every client, see `RestClientOptions`. Default: the server's default. */
  readonly fieldValidation?: FieldValidation;
  /** Called once with each distinct `Warning` of the API server. Must not throw. */
  readonly onWarning?: (text: string) => void;
}

/**
 * Creates clients and list-watches that use the ambassador at `apiUrl`. Opens no connection before the first
 * request.
 *
 * @throws ConfigurationError `CONFIG` for a URL that cannot be the ambassador's.
 */
export function connect(
  apiUrl: string,
  {
    clock,
    meter = noMeter,
    detailed = false,
    transport: given,
    around = (inner) => inner,
    random,
    fieldValidation,
    onWarning,
  }: ConnectOptions,
): Connection {
  const perClient = {
    clock,
    ...(fieldValidation && { fieldValidation }),
    ...(onWarning && { onWarning: oncePerText(onWarning) }),
  };
  const host = hostOf(apiUrl);
  const bytes = around(given ?? undiciTransport(apiUrl, { clock }));
  const transport = meteredTransport(bytes, { meter, clock, host, detailed });
  return {
    transport,
    clientFor: (fieldManager, fence, exactIntegers = false) => {
      const guarded =
        fence === undefined ? transport : fencedTransport(transport, { fence, clock });
      const client = restClient({ ...perClient, transport: guarded, fieldManager, exactIntegers });
      const retrying = retry({ clock, meter, host, ...(random && { random }) });
      return surround(client, { retry: retrying });
    },
    leaseClientFor: (fieldManager) =>
      // A Lease is read and written back as a whole, including the fields of other writers.
      restClient({
        ...perClient,
        transport,
        fieldManager,
        purpose: 'election',
        exactIntegers: true,
      }),
    listWatchFor: ({ resource, ...scope }) => listWatch(transport, resource, scope, { clock }),
    ...(given === undefined && { isListening: () => isListening(apiUrl, clock) }),
    close: () => transport.close(),
  };
}

/**
 * A copy of `connection` with the layers `parts` around the calls of each client. The client for Leases does
 * not get these layers.
 */
export function withParts<C extends Pick<Connection, 'clientFor'>>(
  connection: C,
  parts: PartsAround,
): C {
  const clientFor: Connection['clientFor'] = (...facts) =>
    surround(connection.clientFor(...facts), parts);
  return { ...connection, clientFor };
}

/**
 * The address in the format of error messages, such as `127.0.0.1:8001`. For a unix socket it is the path of
 * the socket.
 */
function hostOf(apiUrl: string): string {
  return apiUrl.replace(/^(?:http|unix):(?:\/\/)?/, '').replace(/\/$/, '');
}

/**
 * Time limit of `isListening` in milliseconds. On loopback, a connection is accepted or refused within 0.1
 * ms.
 */
const TIMEOUT_MS = 1_000;

/**
 * True if a process accepts connections at the ambassador's address. Opens a connection, sends nothing and
 * closes it, because the answers of a filter or an API server do not matter here.
 *
 * @throws ConfigurationError `CONFIG` for a URL that cannot be the ambassador's.
 */
export function isListening(apiUrl: string, clock: Clock): Promise<boolean> {
  const { origin, socketPath } = parseApiUrl(apiUrl);
  const connect = connector({ socketPath, timeoutMs: TIMEOUT_MS, clock });
  return new Promise((resolve) => {
    connect(new URL(origin), (_error, socket) => {
      socket?.destroy();
      resolve(socket !== null);
    });
  });
}
