/**
 * An API server with nothing but the ConfigMaps of one namespace, serialised before it listens, so that
 * it costs the measured process nothing but the reading. Every other collection is empty, and its watches
 * stay silent. It honours `limit` and `continue`. Started by
 * `served-collection.ts`, in a process of its own, with the number of objects and the bytes of each.
 *
 * It sends a message when it listens, and one for each watch of ConfigMaps that is opened.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configMap } from '../support/load/config-map.ts';
import { Items } from '../support/load/items.ts';

/** What the server is told: its watches expire, and every object may change before that. */
export type Order = 'expire' | 'change and expire';

/** What the server says. */
export type Said = { readonly port: number } | { readonly opened: true };

/** Ten digits, so that all objects and all states of them are equally large. */
const FIRST_VERSION = 1_000_000_000;
const EXPIRED = {
  type: 'ERROR',
  object: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 410, reason: 'Expired' },
};

const EMPTY = { kind: 'SecretList', apiVersion: 'v1', items: [] };

const [objects = 0, bytes = 0] = process.argv.slice(2).map(Number);
const profile = configMap('measured', bytes);
const watches = new Set<ServerResponse>();
let version = FIRST_VERSION;
let items = serialised();

function serialised(): Items {
  const resourceVersion = String(version);
  return new Items(
    Array.from({ length: objects }, (_, index) =>
      JSON.stringify(profile.object(index, `config-${index}`, resourceVersion)),
    ),
  );
}

function page(from: number, limit: number): readonly (Buffer | string)[] {
  const until = limit === 0 ? objects : Math.min(from + limit, objects);
  const token = until < objects ? { continue: String(until) } : {};
  const list = { kind: 'ConfigMapList', apiVersion: 'v1' };
  const head = JSON.stringify({
    ...list,
    metadata: { resourceVersion: String(version), ...token },
  });
  return [`${head.slice(0, -1)},"items":[`, items.slice(from, until), ']}\n'];
}

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
  response.setHeader('content-type', 'application/json');
  if (!pathname.endsWith('/configmaps')) {
    if (query.has('watch')) response.flushHeaders();
    else response.end(JSON.stringify({ ...EMPTY, metadata: { resourceVersion: String(version) } }));
    return;
  }
  if (!query.has('watch')) {
    const parts = page(Number(query.get('continue')), Number(query.get('limit')));
    for (const part of parts) response.write(part);
    response.end();
    return;
  }
  watches.add(response);
  response.on('close', () => watches.delete(response));
  response.flushHeaders();
  say({ opened: true });
});

process.on('message', (order: Order) => {
  if (order === 'change and expire') {
    version++;
    items = serialised();
  }
  for (const watch of watches) watch.end(`${JSON.stringify(EXPIRED)}\n`);
});
process.on('disconnect', () => process.exit());

server.listen(0, '127.0.0.1');
await once(server, 'listening');
say({ port: (server.address() as AddressInfo).port });

function say(message: Said): void {
  process.send?.(message);
}
