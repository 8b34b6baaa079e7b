/**
 * What 100,000 ConfigMaps cost the embedded API server: lists and a watch from the beginning, and how long others wait
 * meanwhile. A server in a process of its own, whose longest turn of the event loop is asked for after each request;
 * `npm run measure -- apiserver --many`. See docs/measurements.md.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { machineLoad } from './figures.ts';
import { longestTurn, WATCHING } from './longest-turn.ts';

const OBJECTS = 100_000;
const PAGE = 500;
/** Every tenth object has the label. */
const LABELLED = OBJECTS / 10;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Prints a figure of each request. */
export async function measureMany(): Promise<void> {
  const path = fileURLToPath(new URL('apiserver-many-process.ts', import.meta.url));
  const server = fork(path, [String(OBJECTS)], { execArgv: [...process.execArgv, ...WATCHING] });
  const agent = new Agent({ keepAlive: true });
  try {
    const [{ url }] = (await once(server, 'message')) as [{ readonly url: string }];
    const list = `${url}${CONFIG_MAPS}`;
    const requests: readonly (readonly [name: string, act: () => Promise<number>])[] = [
      ['a list of all', async () => (await read(agent, list)).items.length],
      ['pages of 500', () => readPages(agent, `${list}?limit=${PAGE}`)],
      [
        'a list by label',
        async () => (await read(agent, `${list}?labelSelector=tenth`)).items.length,
      ],
      [
        'pages of 500 by label',
        () => readPages(agent, `${list}?limit=${PAGE}&labelSelector=tenth`),
      ],
      [
        'a list by field',
        async () =>
          (await read(agent, `${list}?fieldSelector=metadata.name%3Dmany-77777`)).items.length,
      ],
      [
        'a watch from 0 until it has all',
        () => readWatch(agent, `${list}?watch=1&resourceVersion=0`),
      ],
    ];
    for (const [name, act] of requests) {
      await longestTurn(server);
      const startMs = performance.now();
      const count = await act();
      const tookMs = performance.now() - startMs;
      const { cpuMs } = await longestTurn(server);
      process.stdout.write(
        `  ${name.padEnd(36)} ${count} objects, ${Math.round(tookMs)} ms, longest turn ${Math.round(cpuMs)} ms\n`,
      );
    }
    process.stdout.write(
      `Node ${process.version}, ${LABELLED} with the label, load ${machineLoad()}\n`,
    );
  } finally {
    agent.destroy();
    server.kill();
    await once(server, 'exit');
  }
}

interface List {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly object[];
}

async function read(agent: Agent, url: string): Promise<List> {
  const chunks: Buffer[] = [];
  for await (const chunk of await get(agent, url)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as List;
}

async function get(agent: Agent, url: string): Promise<IncomingMessage> {
  const sent = request(url, { agent });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  return response;
}

async function readPages(agent: Agent, url: string): Promise<number> {
  let count = 0;
  let next: string | undefined = '';
  while (next !== undefined) {
    const page: List = await read(agent, `${url}&continue=${next}`);
    count += page.items.length;
    next = page.metadata.continue || undefined;
  }
  return count;
}

/** Counts lines, and ends the watch with the last object. */
async function readWatch(agent: Agent, url: string): Promise<number> {
  const response = await get(agent, url);
  let count = 0;
  for await (const chunk of response) {
    for (const byte of chunk as Buffer) if (byte === 10) count++;
    if (count >= OBJECTS) break;
  }
  return count;
}
