import type { Client } from '../client/client.ts';
import { listWatch, type Scope } from '../client/list-watch.ts';
import { restClient } from '../client/rest-client.ts';
import { retryingClient } from '../client/retrying-client.ts';
import type { Clock } from '../core/clock.ts';
import { type Meter, noMeter } from '../core/metrics.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { meteredTransport } from '../transport/metered-transport.ts';
import type { Transport } from '../transport/transport.ts';
import { undiciTransport } from '../transport/undici-transport.ts';
import type { ListWatch } from '../watch/list-watch.ts';

/** The ambassador, as the parts that need it see it. */
export interface Connection {
  readonly transport: Transport;
  /** Repeats a call for a few seconds where that is safe: see `retryingClient`. */
  clientFor(fieldManager: string): Client;
  /** For Leases only: never waits behind other calls, and repeats nothing, as its user has a plan. */
  leaseClientFor(fieldManager: string): Client;
  /** Repeats nothing: the reflector decides. */
  listWatchFor(scope: Scope & { readonly resource: Resource }): ListWatch<KubernetesObject>;
  /** Must be called when nothing uses the connection any more. */
  close(): Promise<void>;
}

/**
 * Everything that speaks to the ambassador at `apiUrl`. Opens nothing by itself.
 *
 * @param meter - where requests are counted. Default: nowhere.
 * @throws ConfigurationError `CONFIG` for a URL that is not the ambassador's.
 */
export function connect(apiUrl: string, clock: Clock, meter: Meter = noMeter): Connection {
  const host = hostOf(apiUrl);
  const transport = meteredTransport(undiciTransport(apiUrl, { clock }), { meter, clock, host });
  return {
    transport,
    clientFor: (fieldManager) =>
      retryingClient(restClient({ transport, fieldManager, clock }), { clock, meter, host }),
    leaseClientFor: (fieldManager) =>
      restClient({ transport, fieldManager, clock, purpose: 'lease' }),
    listWatchFor: ({ resource, ...scope }) => listWatch(transport, resource, scope, { clock }),
    close: () => transport.close(),
  };
}

/** `127.0.0.1:8001`; the path for a unix socket. */
function hostOf(apiUrl: string): string {
  return apiUrl.replace(/^(?:http|unix):(?:\/\/)?/, '').replace(/\/$/, '');
}
