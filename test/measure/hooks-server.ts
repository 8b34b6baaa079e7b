/**
 * The embedded API server with the objects of `hooks.ts`, in a process of its own. Started with the number of
 * ConfigMaps and the bytes of each. It says where it is when all objects are there. Each message has a number of
 * objects to change, and is answered when they are changed.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { ApiServer } from '@chancery/testing';

/** Where the server is. */
export interface Serving {
  readonly url: string;
}

/** What has been changed. */
export interface Changed {
  /** When the last change began, in milliseconds of the machine's clock. */
  readonly at: number;
}

const NAMESPACES = 10;
/** Changes without a turn for the requests. */
const BATCH = 20;

const [objects = 0, bytes = 0] = process.argv.slice(2).map(Number);
const server = await ApiServer.start({ workloads: false });
let changes = 0;
for (let at = 0; at < NAMESPACES; at++) {
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `team-${at}` } });
}
for (let at = 0; at < objects; at++) {
  server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...placeOf(at), labels: { version: 'v0' } },
    data: { version: 'v0', content: randomBytes(bytes / 2).toString('hex') },
  });
}
const serving: Serving = { url: server.url };
process.send?.(serving);

process.on('message', async (count: number) => {
  let at = Date.now();
  for (let index = 0; index < count; index++) {
    if (index % BATCH === 0) await turn();
    const { namespace, name } = placeOf(changes % objects);
    const version = `v${++changes}`;
    at = performance.timeOrigin + performance.now();
    const change = { metadata: { labels: { version } }, data: { version } };
    server.patch('v1', 'ConfigMap', namespace, name, change);
  }
  const changed: Changed = { at };
  process.send?.(changed);
});

function placeOf(at: number): { readonly namespace: string; readonly name: string } {
  return { namespace: `team-${at % NAMESPACES}`, name: `map-${at}` };
}
