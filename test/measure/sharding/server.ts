/**
 * The embedded API server with the objects of `main.ts`, in a process of its own, so that its CPU can be told apart.
 * Started with the number of ConfigMaps, the bytes of each, and `children` when each has its Secret from the start. It
 * says where it is when all objects are there, and answers each order when it is done.
 */
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { ApiServer } from '@chancery/testing';
import { slotOf } from '../../../operator/model/shard/field-hash.ts';
import { type Done, EMPTY_NAMESPACE, NAMESPACE, type Order, type Serving } from './orders.ts';

/** Changes without a turn for requests. */
const BATCH = 20;
/** Between two batches: watches get their events meanwhile. */
const PAUSE_MS = 5;

const [objects = 0, bytes = 0] = process.argv.slice(2).map(Number);
const hasChildren = process.argv.includes('children');
const server = await ApiServer.start({
  workloads: false,
  featureGates: { ShardedListAndWatch: true },
});
/** What each Secret has to show, by its name, until it does. */
const awaited = new Map<string, string>();
const shown = new Map<string, string>();
let writes = 0;
let mirrored = (): void => {};
for (const name of [NAMESPACE, EMPTY_NAMESPACE]) {
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}
const padding = 'x'.repeat(bytes);
for (let at = 0; at < objects; at++) {
  if (at % BATCH === 0) await turn();
  create(`p${at}`);
}
server.subscribe((resource, { object }) => {
  if (resource !== 'secrets') return;
  const { data } = object as { readonly data?: { readonly of?: string } };
  const { name = '' } = object.metadata;
  const text = Buffer.from(data?.of ?? '', 'base64').toString();
  writes++;
  shown.set(name, text);
  if (awaited.get(name) === text) awaited.delete(name);
  if (awaited.size === 0) mirrored();
});
process.send?.({ url: server.url } satisfies Serving);

process.on('message', async (order: Order) => {
  if (order.kind === 'change') await change(order.count, order.text);
  if (order.kind === 'mirror' && awaited.size > 0) {
    await new Promise<void>((resolve) => {
      mirrored = resolve;
    });
  }
  const done: Done = {
    atMs: performance.now(),
    writes,
    shown: JSON.stringify([...shown].sort()),
  };
  process.send?.(done);
});

function create(name: string): void {
  const text = 'new';
  const metadata = { namespace: NAMESPACE, name };
  const parent = server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, labels: { app: 'mirrored' } },
    data: { text, padding },
  } as Parameters<typeof server.create>[0]);
  if (!hasChildren) {
    awaited.set(name, text);
    return;
  }
  const { uid = '' } = parent.metadata;
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
  server.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...metadata,
      labels: { 'chancery.dev/slot': String(slotOf(uid)) },
      ownerReferences: [owner],
    },
    stringData: { of: text },
  } as Parameters<typeof server.create>[0]);
}

async function change(count: number, text: string): Promise<void> {
  for (let at = 0; at < count; at++) {
    if (at % BATCH === 0) await pause(PAUSE_MS);
    const name = `p${at}`;
    if (!hasChildren) awaited.set(name, text);
    server.patch('v1', 'ConfigMap', NAMESPACE, name, { data: { text } });
    if (!hasChildren) continue;
    const of = Buffer.from(text).toString('base64');
    server.patch('v1', 'Secret', NAMESPACE, name, { data: { of } });
  }
}
