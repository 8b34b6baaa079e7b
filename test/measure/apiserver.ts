/**
 * What the embedded API server costs: its start, writes, the delay of watches, memory. Five runs, each
 * on a server in a process of its own, and twenty of the first list; `npm run measure -- apiserver`, with `--built` from
 * what `npm run build` has made. `--runs=1` is one run, and four of the first list. `--many` measures 100,000 objects
 * instead. With KUBEBUILDER_ASSETS etcd and kube-apiserver are measured beside it, in turn. See docs/measurements.md.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FirstList } from './apiserver-first-list.ts';
import { measureMany } from './apiserver-many.ts';
import type { Question, Started, Taken } from './apiserver-process.ts';
import { machineLoad } from './figures.ts';

const [RUNS = 5] = process.argv.flatMap(
  (word) => /^--runs=([1-9]\d*)$/.exec(word)?.slice(1).map(Number) ?? [],
);
const FIRST_LISTS = 4 * RUNS;
const IS_BUILT = process.argv.includes('--built');
/** Without the condition for sources, a built package imports the built toolkit. */
const EXEC_ARGV = IS_BUILT ? [] : process.execArgv;
/** By the entry that a test imports. */
const ENTRIES: Readonly<Record<string, string>> = {
  '@chancery/testing/api-server': IS_BUILT ? 'dist/api-server.js' : 'src/api-server.ts',
  '@chancery/testing': IS_BUILT ? 'dist/index.js' : 'src/index.ts',
};
const COMMAND = IS_BUILT ? '../../dist/operator/cli/main.js' : '../../operator/cli/main.ts';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CREATES = 10_000;
const CREATES_AT_A_TIME = 16;
const CHANGES = 200;
const IDLE_WATCHES = 1_000;
/** As much history as the server keeps of a resource, and three times that. */
const HISTORY = [10_000, 20_000] as const;

const MIB = 1024 * 1024;

const EMBEDDED = 'embedded';
const REAL = 'etcd and kube-apiserver, through kubectl proxy';

/** What is measured → of which server → a figure of each run. */
const rows = new Map<string, Map<string, number[]>>();

if (process.argv.includes('--many')) {
  await measureMany();
  process.exit();
}

for (let run = 1; run <= FIRST_LISTS; run++) {
  for (const [entry, file] of Object.entries(ENTRIES)) await measureFirstList(entry, file);
}
process.stderr.write(`${FIRST_LISTS} first lists\n`);
for (let run = 1; run <= RUNS; run++) {
  await measureCommand();
  await measureEmbedded();
  if (process.env.KUBEBUILDER_ASSETS) await measureReal();
  process.stderr.write(`run ${run} of ${RUNS}, load ${machineLoad()}\n`);
}
process.stdout.write(`Node ${process.version}: median (least - most)\n`);
if (!process.env.KUBEBUILDER_ASSETS) {
  process.stdout.write(`${REAL}: not run, KUBEBUILDER_ASSETS is not set\n`);
}
for (const [name, figures] of rows) {
  process.stdout.write(`${name}\n`);
  for (const [server, taken] of figures) process.stdout.write(row(server, taken));
}

/** From the start of `chancery apiserver`, Node's own start included, until it says where it is. */
async function measureCommand(): Promise<void> {
  const command = fileURLToPath(new URL(COMMAND, import.meta.url));
  const startMs = performance.now();
  const child = spawn(process.execPath, [command, 'apiserver', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await once(child.stdout, 'data');
    note(EMBEDDED, '`chancery apiserver` until it listens, ms', performance.now() - startMs);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

/** In a fresh process: until a client has the first list, without the start of Node itself. */
async function measureFirstList(entry: string, file: string): Promise<void> {
  const path = fileURLToPath(new URL(`../../testing/${file}`, import.meta.url));
  const child = fork(new URL('apiserver-first-list.ts', import.meta.url), [path], {
    execArgv: EXEC_ARGV,
  });
  try {
    const { importMs, startMs, listMs } = (await answer(child)) as FirstList;
    note(entry, 'import, ms', importMs);
    note(entry, 'start, ms', startMs);
    note(entry, 'import, start and first list in a fresh process, ms', importMs + startMs + listMs);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

async function measureEmbedded(): Promise<void> {
  const entry = fileURLToPath(
    new URL(`../../testing/${ENTRIES['@chancery/testing/api-server']}`, import.meta.url),
  );
  const server = fork(new URL('apiserver-process.ts', import.meta.url), [entry], {
    execArgv: [...EXEC_ARGV, '--expose-gc'],
  });
  try {
    const { url, ...started } = (await answer(server)) as Started;
    note(EMBEDDED, 'processor time of import and start, with Node itself, ms', started.processorMs);
    note(EMBEDDED, 'start of a second server, ms', started.nextStartMs);
    await measureServer(EMBEDDED, server, url);
    await measureHistory(server);
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}

/** What a test with `CHANCERY_TEST_ENV=kubebuilder` has. */
async function measureReal(): Promise<void> {
  const startMs = performance.now();
  const server = fork(new URL('control-plane-process.ts', import.meta.url));
  try {
    const { url } = (await answer(server)) as { readonly url: string };
    note(REAL, 'import, start and first list in a fresh process, ms', performance.now() - startMs);
    await measureServer(REAL, server, url);
  } finally {
    server.send({ ask: 'end' });
    await once(server, 'exit');
  }
}

async function measureServer(name: string, server: ChildProcess, url: string): Promise<void> {
  await measureIdleWatches(name, server, url);
  await measureDelay(name, url);
  await measureCreates(name, server, url);
}

function note(server: string, name: string, figure: number): void {
  const figures = rows.get(name) ?? new Map<string, number[]>();
  const taken = figures.get(server) ?? [];
  taken.push(figure);
  figures.set(server, taken);
  rows.set(name, figures);
}

async function measureIdleWatches(name: string, server: ChildProcess, url: string): Promise<void> {
  const before = await ask(server, { ask: 'nothing' });
  const version = await versionOf(url);
  const sockets = await Promise.all(
    Array.from({ length: IDLE_WATCHES }, () => openWatch(url, version)),
  );
  const after = await ask(server, { ask: 'nothing' });
  for (const socket of sockets) socket.destroy();
  const bytes = after.residentBytes - before.residentBytes;
  note(name, `${IDLE_WATCHES} idle watches, MiB resident`, bytes / MIB);
}

/** Where a watch can begin: a real server has no history from before its start. */
async function versionOf(url: string): Promise<string> {
  const listed = await fetch(`${url}${CONFIG_MAPS}`);
  const { metadata } = (await listed.json()) as { metadata: { resourceVersion: string } };
  return metadata.resourceVersion;
}

/** Resolves when the headers are there: the watch is open. */
async function openWatch(url: string, version: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET ${CONFIG_MAPS}?watch=1&resourceVersion=${version}&allowWatchBookmarks=true&timeoutSeconds=600 HTTP/1.1\r\n` +
      'Host: localhost\r\nAccept: application/json\r\n\r\n',
  );
  await once(socket, 'data');
  return socket;
}

/** From the sending of a change until a watch has told of it. */
async function measureDelay(name: string, url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const watching = request(`${url}${CONFIG_MAPS}?watch=1&resourceVersion=${await versionOf(url)}`);
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
  note(name, 'from sending a change to hearing of it, median, ms', delays[CHANGES >> 1] ?? 0);
  note(
    name,
    'from sending a change to hearing of it, 99th percentile, ms',
    delays[Math.floor(CHANGES * 0.99)] ?? 0,
  );
  watching.destroy();
  agent.destroy();
}

async function measureCreates(name: string, server: ChildProcess, url: string): Promise<void> {
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
  note(name, `${CREATES} ConfigMaps created over HTTP, s`, (performance.now() - startMs) / 1_000);
  const after = await ask(server, { ask: 'nothing' });
  const processorMs = after.processorMs - before.processorMs;
  note(name, `processor time of the server for ${CREATES} ConfigMaps, s`, processorMs / 1_000);
  note(name, `resident after ${CREATES} ConfigMaps, MiB`, after.residentBytes / MIB);
  agent.destroy();
}

async function measureHistory(server: ChildProcess): Promise<void> {
  const [some, more] = HISTORY;
  const full = await ask(server, { ask: 'write', count: some });
  const later = await ask(server, { ask: 'write', count: more });
  note(EMBEDDED, `heap after ${some} changes of 1 kB, MiB`, full.heapBytes / MIB);
  note(EMBEDDED, `heap after ${more} more, MiB`, later.heapBytes / MIB);
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
  return `    ${name.padEnd(48)} ${median} (${least} - ${most})\n`;
}
