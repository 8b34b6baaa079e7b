/**
 * An API server with 1,000 ConfigMaps of 1 kB, of which one changes each millisecond. Every other collection is empty,
 * and its watches stay silent. Started by `flight.ts`, in a process of its own. It sends its port, and then how many events
 * each second had.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const OBJECTS = 1_000;
const EVENTS_PER_SECOND = 1_000;
const TICK_MS = 10;
const TEXT = 'x'.repeat(800);

const watches = new Set<ServerResponse>();
let version = 1_000_000;

function configMap(index: number): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...{ name: `config-${index}`, namespace: 'default', uid: `uid-${index}` },
      resourceVersion: String(version),
    },
    data: { text: TEXT },
  };
}

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
  const isConfigMaps = pathname.endsWith('/configmaps');
  response.setHeader('content-type', 'application/json');
  if (query.has('watch')) {
    response.flushHeaders();
    if (isConfigMaps) watches.add(response);
    response.on('close', () => watches.delete(response));
    return;
  }
  const items = isConfigMaps ? Array.from({ length: OBJECTS }, (_, index) => configMap(index)) : [];
  const kind = isConfigMaps ? 'ConfigMapList' : 'SecretList';
  const metadata = { resourceVersion: String(version) };
  response.end(JSON.stringify({ apiVersion: 'v1', kind, metadata, items }));
});

let sent = 0;
const beganAt = performance.now();

/** Sends as many events as are due, one line and one packet each, whatever the timers of a busy machine do. */
function send(): void {
  const due = Math.floor(((performance.now() - beganAt) / 1_000) * EVENTS_PER_SECOND);
  for (; sent < due; sent++) {
    version++;
    const object = configMap(version % OBJECTS);
    for (const watch of watches) watch.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
  }
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
setInterval(send, TICK_MS);
process.send?.({ port: (server.address() as AddressInfo).port });
process.on('disconnect', () => process.exit());
