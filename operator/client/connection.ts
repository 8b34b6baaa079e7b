import type { Clock } from '../core/clock.ts';
import { type Meter, noMeter } from '../core/metrics.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Fence } from '../transport/fence.ts';
import { fencedTransport } from '../transport/fenced-transport.ts';
import { isListening } from '../transport/is-listening.ts';
import { meteredTransport } from '../transport/metered-transport.ts';
import type { Transport } from '../transport/transport.ts';
import { undiciTransport } from '../transport/undici-transport.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import type { Client } from './client.ts';
import { intercept } from './client-of.ts';
import { retry } from './interceptors/retry.ts';
import { listWatch, type Scope } from './list-watch.ts';
import { restClient } from './rest-client.ts';
import type { FieldValidation } from './rest-request.ts';
import { oncePerText } from './server-warnings.ts';

export type { Fence };

/** The ambassador, as the parts that need it see it. */
export interface Connection {
  readonly transport: Transport;
  /**
   * Repeats a call for a few seconds where that is safe: see `retry`.
   *
   * @param fence - what every write, each repetition included, must pass. Default: none.
   */
  clientFor(fieldManager: string, fence?: Fence): Client;
  /** For Leases only: never waits behind other calls, and repeats nothing, as its user has a plan. */
  leaseClientFor(fieldManager: string): Client;
  /** Repeats nothing: the reflector decides. */
  listWatchFor(scope: Scope & { readonly resource: Resource }): ListWatch<KubernetesObject>;
  /** Whether somebody listens at the URL. Left out where another transport moves the bytes. */
  readonly isListening?: () => Promise<boolean>;
  /** Must be called when nothing uses the connection any more. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly clock: Clock;
  /** Where requests are counted. Default: nowhere. */
  readonly meter?: Meter;
  /** Measure durations and sizes of requests, too: see `meteredTransport`. Default false. */
  readonly detailed?: boolean;
  /** What moves the bytes. Default: undici's, to the URL. */
  readonly transport?: Transport;
  /** Of every client: see `RestClientOptions`. Default: the server's. */
  readonly fieldValidation?: FieldValidation;
  /** Given each text of a `Warning` header of the API server once. Must not throw. */
  readonly onWarning?: (text: string) => void;
}

/**
 * Everything that speaks to the ambassador at `apiUrl`. Opens nothing by itself.
 *
 * @throws ConfigurationError `CONFIG` for a URL that is not the ambassador's.
 */
export function connect(
  apiUrl: string,
  {
    clock,
    meter = noMeter,
    detailed = false,
    transport: given,
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
  const bytes = given ?? undiciTransport(apiUrl, { clock });
  const transport = meteredTransport(bytes, { meter, clock, host, detailed });
  return {
    transport,
    clientFor: (fieldManager, fence) => {
      const guarded =
        fence === undefined ? transport : fencedTransport(transport, { fence, clock });
      const client = restClient({ ...perClient, transport: guarded, fieldManager });
      return intercept(client, retry({ clock, meter, host }));
    },
    leaseClientFor: (fieldManager) =>
      // A Lease is read and written back whole, with whatever others keep in it.
      restClient({ ...perClient, transport, fieldManager, purpose: 'lease', exactIntegers: true }),
    listWatchFor: ({ resource, ...scope }) => listWatch(transport, resource, scope, { clock }),
    ...(given === undefined && { isListening: () => isListening(apiUrl, clock) }),
    close: () => transport.close(),
  };
}

/** `127.0.0.1:8001`; the path for a unix socket. */
function hostOf(apiUrl: string): string {
  return apiUrl.replace(/^(?:http|unix):(?:\/\/)?/, '').replace(/\/$/, '');
}
