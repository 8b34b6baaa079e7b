/**
 * An API server with nothing but 100,000 ConfigMaps, in pages that are serialised before it listens,
 * so that it costs the measured process nothing but the reading. Started by `list.ts`, in a process
 * of its own.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const OBJECTS = 100_000;
const PAGE_SIZE = 500;
const PAGES = OBJECTS / PAGE_SIZE;

/** Pages of the first state, and of one in which every object has changed. */
const states: readonly (readonly Buffer[])[] = [0, 1].map((state) =>
  Array.from({ length: PAGES }, (_, page) => serialised(state, page)),
);
const watches = new Set<ServerResponse>();
let current = 0;

function serialised(state: number, page: number): Buffer {
  const firstIndex = page * PAGE_SIZE;
  const items = Array.from({ length: PAGE_SIZE }, (_, index) => object(state, firstIndex + index));
  const token = page + 1 < PAGES ? { continue: String(page + 1) } : {};
  const metadata = { resourceVersion: versionOf(state, OBJECTS), ...token };
  return Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMapList', metadata, items }));
}

/** 1 kB, about as much of it metadata as in a cluster. */
function object(state: number, index: number): object {
  return {
    metadata: {
      name: `config-${index}`,
      namespace: `team-${index % 100}`,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: versionOf(state, index),
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: `app-${index % 1_000}`, tier: 'backend' },
    },
    data: { 'settings.yaml': `state ${state} of ${index} `.padEnd(690, 'x') },
  };
}

function versionOf(state: number, index: number): string {
  return String(1_000_000 * (state + 1) + index);
}

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  response.setHeader('content-type', 'application/json');
  if (searchParams.has('watch')) {
    watches.add(response);
    response.on('close', () => watches.delete(response));
    response.flushHeaders();
    return;
  }
  const page = states[current]?.[Number(searchParams.get('continue') ?? 0)];
  response.setHeader('content-length', page?.length ?? 0);
  response.end(page);
});

/** Every object changes, and the watches have expired. */
process.on('message', () => {
  current = 1;
  const status = { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired' };
  for (const watch of watches) {
    watch.end(`${JSON.stringify({ type: 'ERROR', object: { apiVersion: 'v1', ...status } })}\n`);
  }
});
process.on('disconnect', () => process.exit());

server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
