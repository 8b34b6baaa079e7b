import type { Client } from '../client/client.ts';
import { listWatch, type Scope } from '../client/list-watch.ts';
import { restClient } from '../client/rest-client.ts';
import type { Clock } from '../core/clock.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Transport } from '../transport/transport.ts';
import { undiciTransport } from '../transport/undici-transport.ts';
import type { ListWatch } from '../watch/list-watch.ts';

/** The ambassador, as the parts that need it see it. */
export interface Connection {
  readonly transport: Transport;
  clientFor(fieldManager: string): Client;
  listWatchFor(scope: Scope & { readonly resource: Resource }): ListWatch<KubernetesObject>;
  /** Must be called when nothing uses the connection any more. */
  close(): Promise<void>;
}

/**
 * Everything that speaks to the ambassador at `apiUrl`. Opens nothing by itself.
 *
 * @throws ConfigurationError `CONFIG` for a URL that is not the ambassador's.
 */
export function connect(apiUrl: string, clock: Clock): Connection {
  const transport = undiciTransport(apiUrl, { clock });
  return {
    transport,
    clientFor: (fieldManager) => restClient({ transport, fieldManager, clock }),
    listWatchFor: ({ resource, ...scope }) => listWatch(transport, resource, scope, { clock }),
    close: () => transport.close(),
  };
}
