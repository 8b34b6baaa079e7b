/**
 * The embedded API server and nothing else, in a process of its own, so that its memory can be told
 * from that of its clients. Started by `apiserver.ts`; answers each message with one.
 */
import type { ApiServer } from '@chancery/testing';

/** What the server's process is asked. */
export type Question =
  | { readonly ask: 'nothing' }
  | { readonly ask: 'write'; readonly count: number };

export interface Started {
  readonly url: string;
  /** A second server in the same process: what a test suite pays for each. */
  readonly nextStartMs: number;
  /** Processor time of all that, which other work on the machine stretches less. */
  readonly processorMs: number;
}

/** What the process has taken so far. */
export interface Taken {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly processorMs: number;
}

const [, , file = '../../testing/src/apiserver/api-server.ts'] = process.argv;
const module = (await import(file)) as typeof import('../../testing/src/apiserver/api-server.ts');
const server = await module.ApiServer.start();
const startedMs = performance.now();
const processor = process.cpuUsage();
const next = await module.ApiServer.start();
const nextMs = performance.now();
await next.close();

say({
  url: server.url,
  nextStartMs: nextMs - startedMs,
  processorMs: (processor.user + processor.system) / 1_000,
} satisfies Started);

process.on('message', (question: Question) => {
  if (question.ask === 'write') write(server, question.count);
  say(taken());
});

function say(answer: object): void {
  process.send?.(answer);
}

/** After a collection of garbage: what is kept, not what has not been thrown away yet. */
function taken(): Taken {
  const { user, system } = process.cpuUsage();
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { residentBytes: rss, heapBytes: heapUsed, processorMs: (user + system) / 1_000 };
}

/** Changes one object of 1 kB again and again: only history grows. */
function write(into: ApiServer, count: number): void {
  const name = 'history';
  if (into.get('v1', 'ConfigMap', 'default', name) === undefined) {
    into.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
  }
  for (let i = 0; i < count; i++) {
    into.patch('v1', 'ConfigMap', 'default', name, { data: { text: `${i} `.padEnd(1_000, 'x') } });
  }
}
