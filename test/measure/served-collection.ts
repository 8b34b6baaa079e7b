/** A server of many equal ConfigMaps in a process of its own, for the measurements of memory. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Order, Said } from './watch-server.ts';

/** So many ConfigMaps of so many bytes of JSON each. */
export interface Load {
  readonly title: string;
  readonly objects: number;
  readonly bytes: number;
}

/** The two ways to be large: many small objects, and a few of about the size that etcd takes. */
export const LOADS: readonly Load[] = [
  { title: '50,000 ConfigMaps of 720 B', objects: 50_000, bytes: 720 },
  { title: '150 ConfigMaps of 1.35 MB', objects: 150, bytes: 1_350_000 },
];

/** A server that answers. */
export interface ServedCollection {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Resolves when the next watch is open: what was listed before it has arrived by then. */
  opened(): Promise<void>;
  /** Tells the server, and waits until the next watch is open. */
  until(order: Order): Promise<void>;
  end(): Promise<void>;
}

/** Starts a server of so many objects, which are serialised before it answers. */
export async function servedCollection({
  objects,
  bytes,
}: Pick<Load, 'objects' | 'bytes'>): Promise<ServedCollection> {
  const server = fork(
    new URL('watch-server.ts', import.meta.url),
    [String(objects), String(bytes)],
    { execArgv: process.execArgv },
  );
  const [{ port }] = (await once(server, 'message')) as [Extract<Said, { port: number }>];
  const opened = async (): Promise<void> => {
    await once(server, 'message');
  };
  return {
    url: `http://127.0.0.1:${port}`,
    opened,
    async until(order) {
      const next = opened();
      server.send(order);
      await next;
    },
    async end() {
      server.disconnect();
      await once(server, 'exit');
    },
  };
}
