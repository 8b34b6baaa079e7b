/**
 * What the embedded API server costs: its start, writes, the delay of watches, memory. Five runs, each
 * on a server in a process of its own; `npm run measure -- apiserver`, with `--built` from what
 * `npm run build` has made. See docs/measurements.md.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Question, Started, Taken } from './apiserver-process.ts';

const RUNS = 5;
const SERVER = process.argv.includes('--built')
  ? '../../testing/dist/index.js'
  : '../../testing/src/apiserver/api-server.ts';
const COMMAND = process.argv.includes('--built')
  ? '../../dist/operator/cli/main.js'
  : '../../operator/cli/main.ts';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CREATES = 10_000;
const CREATES_AT_A_TIME = 16;
const CHANGES = 200;
const IDLE_WATCHES = 1_000;
/** As much history as the server keeps of a resource, and three times that. */
const HISTORY = [10_000, 20_000] as const;

const MIB = 1024 * 1024;

/** One row of the report: a figure of each run. */
const rows = new Map<string, number[]>();

for (let run = 1; run <= RUNS; run++) {
  await measureCommand();
  await measure();
  process.stderr.write(`run ${run} of ${RUNS}\n`);
}
process.stdout.write(`Node ${process.version}, ${RUNS} runs: median (least - most)\n`);
for (const [name, figures] of rows) process.stdout.write(row(name, figures));

/** From the start of `chancery apiserver`, Node's own start included, until it says where it is. */
async function measureCommand(): Promise<void> {
  const command = fileURLToPath(new URL(COMMAND, import.meta.url));
  const startMs = performance.now();
  const child = spawn(process.execPath, [command, 'apiserver', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await once(child.stdout, 'data');
    note('`chancery apiserver` until it listens, ms', performance.now() - startMs);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

async function measure(): Promise<void> {
  const server = fork(new URL('apiserver-process.ts', import.meta.url), [SERVER], {
    execArgv: [...process.execArgv, '--expose-gc'],
  });
  try {
    const { url, ...started } = (await answer(server)) as Started;
    note('import in a fresh process, ms', started.importMs);
    note('start, ms', started.startMs);
    note('processor time of both, with Node itself, ms', started.processorMs);
    note('start of a second server, ms', started.nextStartMs);
    await measureIdleWatches(server, url);
    await measureDelay(url);
    await measureCreates(server, url);
    await measureHistory(server);
  } finally {
    server.kill();
  }
}

function note(name: string, figure: number): void {
  const figures = rows.get(name) ?? [];
  figures.push(figure);
  rows.set(name, figures);
}

async function measureIdleWatches(server: ChildProcess, url: string): Promise<void> {
  const before = await ask(server, { ask: 'nothing' });
  const sockets = await Promise.all(Array.from({ length: IDLE_WATCHES }, () => openWatch(url)));
  const after = await ask(server, { ask: 'nothing' });
  for (const socket of sockets) socket.destroy();
  const bytes = after.residentBytes - before.residentBytes;
  note(`${IDLE_WATCHES} idle watches, MiB resident`, bytes / MIB);
}

/** Resolves when the headers are there: the watch is open. */
async function openWatch(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET ${CONFIG_MAPS}?watch=1&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=600 HTTP/1.1\r\n` +
      'Host: localhost\r\nAccept: application/json\r\n\r\n',
  );
  await once(socket, 'data');
  return socket;
}

/** From the sending of a change until a watch has told of it. */
async function measureDelay(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const watching = request(`${url}${CONFIG_MAPS}?watch=1&resourceVersion=1`);
  watching.end();
  const [response] = await once(watching, 'response');
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  await send(agent, 'POST', `${url}${CONFIG_MAPS}`, configMap('changing'));
  await lines.next();
  const delays: number[] = [];
  for (let i = 0; i < CHANGES; i++) {
    const sentMs = performance.now();
    const sent = send(agent, 'PATCH', `${url}${CONFIG_MAPS}/changing`, { data: { i: `${i}` } });
    await lines.next();
    delays.push(performance.now() - sentMs);
    await sent;
  }
  delays.sort((a, b) => a - b);
  note('from sending a change to hearing of it, median, ms', delays[CHANGES >> 1] ?? 0);
  note('the same, 99th percentile, ms', delays[Math.floor(CHANGES * 0.99)] ?? 0);
  watching.destroy();
  agent.destroy();
}

async function measureCreates(server: ChildProcess, url: string): Promise<void> {
  const before = await ask(server, { ask: 'nothing' });
  const agent = new Agent({ keepAlive: true, maxSockets: CREATES_AT_A_TIME });
  const startMs = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < CREATES) {
      await send(agent, 'POST', `${url}${CONFIG_MAPS}`, configMap(`created-${next++}`));
    }
  };
  await Promise.all(Array.from({ length: CREATES_AT_A_TIME }, work));
  note(`${CREATES} ConfigMaps created over HTTP, s`, (performance.now() - startMs) / 1_000);
  const after = await ask(server, { ask: 'nothing' });
  const processorMs = after.processorMs - before.processorMs;
  note('processor time of the server for them, s', processorMs / 1_000);
  agent.destroy();
}

async function measureHistory(server: ChildProcess): Promise<void> {
  const [some, more] = HISTORY;
  const full = await ask(server, { ask: 'write', count: some });
  const later = await ask(server, { ask: 'write', count: more });
  note(`heap after ${some} changes of 1 kB, MiB`, full.heapBytes / MIB);
  note(`heap after ${more} more, MiB`, later.heapBytes / MIB);
}

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: 'value' } };
}

async function send(agent: Agent, method: string, url: string, body: object): Promise<void> {
  const text = JSON.stringify(body);
  const patch = method === 'PATCH' ? 'merge-patch+json' : 'json';
  const headers = {
    'content-type': `application/${patch}`,
    'content-length': Buffer.byteLength(text),
  };
  const sent = request(url, { method, agent, headers });
  sent.end(text);
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode >= 300) throw new Error(`${method} ${url}: ${response.statusCode}`);
}

async function ask(server: ChildProcess, question: Question): Promise<Taken> {
  server.send(question);
  return (await answer(server)) as Taken;
}

/** What the process says next; it has failed when it ends first. */
async function answer(server: ChildProcess): Promise<unknown> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const said = once(server, 'message', { signal });
    const ended = once(server, 'exit', { signal }).then(([code]) => {
      throw new Error(`the server has ended with ${code}`);
    });
    const [message] = await Promise.race([said, ended]);
    return message;
  } finally {
    stop.abort();
  }
}

function row(name: string, figures: readonly number[]): string {
  const sorted = figures.toSorted((a, b) => a - b);
  const [least = '', median = '', most = ''] = [0, sorted.length >> 1, sorted.length - 1].map(
    (index) => (sorted[index] ?? 0).toFixed(1),
  );
  return `${name.padEnd(52)} ${median} (${least} - ${most})\n`;
}
