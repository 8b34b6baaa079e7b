/** A cluster whose objects the patches of hooks change, and what was sent to it. */
import type { ApiServer } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { Client } from '../../../../operator/client/client.ts';
import { intercept } from '../../../../operator/client/client-of.ts';
import { restClient } from '../../../../operator/client/rest-client.ts';
import { systemClock } from '../../../../operator/core/clock.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import type { TransportRequest } from '../../../../operator/transport/transport.ts';
import { undiciTransport } from '../../../../operator/transport/undici-transport.ts';
import { startCluster } from '../../../../test/support/cluster.ts';

export interface Farm {
  readonly server: ApiServer;
  readonly client: Client;
  /** Every request that was sent, in order. */
  readonly sent: TransportRequest[];
}

/** A cluster with the namespace `farm` and these ConfigMaps. */
export async function startFarm(...objects: readonly KubernetesObject[]): Promise<Farm> {
  const { server, proxy } = await startCluster();
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'farm' } });
  for (const object of objects) server.create(object);
  const transport = undiciTransport(proxy.url, { clock: systemClock });
  onTestFinished(() => transport.close());
  const sent: TransportRequest[] = [];
  const recording = {
    ...transport,
    send: (request: TransportRequest) => {
      sent.push(request);
      return transport.send(request);
    },
  };
  const client = restClient({
    transport: recording,
    fieldManager: 'chancery-hooks',
    clock: systemClock,
    exactIntegers: true,
  });
  return { server, client, sent };
}

/** A Deployment with a status of its own. */
export function shed() {
  const labels = { app: 'shed' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shed', namespace: 'farm' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } },
    },
  };
}

/** As a cluster with its garbage collector: the children of a deleted object are gone when it is looked for. */
export function collected({ client, server }: Farm): Client {
  return intercept(client, (next) => async (call) => {
    if (call.verb === 'find') {
      server.patch('v1', 'ConfigMap', 'farm', call.target.name, { metadata: { finalizers: null } });
    }
    return next(call);
  });
}
