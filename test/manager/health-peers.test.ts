/** Probes while peers hold connections to the health port, and what the port keeps open for them. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  HealthServer,
  type HealthServerOptions,
} from '../../operator/manager/http/health-server.ts';

/** The prober's own address, and two others. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

/** A request head that has begun and has no end. */
const HALF_A_HEAD = 'GET /readyz HTTP/1.1\r\nHost: peer\r\nX-Slow: ';

async function started(options: Partial<HealthServerOptions> = {}): Promise<HealthServer> {
  const server = new HealthServer({ port: 0, host: '127.0.0.1', live: [], ready: [], ...options });
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}

/** A connection from `localAddress` that has sent `bytes`. */
async function peer({ port }: HealthServer, localAddress: string, bytes: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}); // being closed is what some of them are for
  socket.resume();
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  return socket;
}

/** Keeps `count` peers of a kind: those that the server has closed come back when it is called. */
function crowd(server: HealthServer, count: number, bytes: string): () => Promise<void> {
  const peers: (Socket | undefined)[] = new Array(count).fill(undefined);
  return async () => {
    const missing = [...peers.keys()].filter((at) => peers[at]?.destroyed !== false);
    const opened = missing.map(async (at) => {
      peers[at] = await peer(server, ADDRESSES[at % ADDRESSES.length] ?? '', bytes);
    });
    await Promise.all(opened);
  };
}

async function probe({ port }: HealthServer, localAddress: string): Promise<string> {
  const path = '/healthz';
  const request = get({ host: '127.0.0.1', port, path, localAddress, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return `${response.statusCode} ${await text(response)}`;
}

test('[attack A-2] [H-5] every probe is answered while 300 idle and 300 half-open peers reconnect as soon as they are closed', async () => {
  const server = await started();
  const idle = crowd(server, 300, '');
  const halfOpen = crowd(server, 300, HALF_A_HEAD);
  const answers: string[] = [];

  for (let round = 0; round < 10; round++) {
    await Promise.all([idle(), halfOpen()]);
    for (const address of ADDRESSES) answers.push(await probe(server, address));
  }

  expect(answers).toEqual(new Array(30).fill('200 ok'));
});

test('[attack A-2] [H-5] the newest 512 of 800 waiting peers stay connected', async () => {
  const server = await started();
  const peers: Socket[] = [];
  for (let count = 0; count < 800; count++) {
    peers.push(await peer(server, '127.0.0.2', count % 2 === 0 ? '' : HALF_A_HEAD));
  }

  await eventually(() => peers.filter(({ closed }) => !closed).length <= 512);

  const open = peers.map(({ closed }) => !closed);
  expect(open.lastIndexOf(false)).toBeLessThan(800 - 512);
  expect(open.slice(-512)).toEqual(new Array(512).fill(true));
});

test('[attack A-2] [H-5] probes are answered even if other peers do not read; at most 128 such peers stay connected', async () => {
  const never = (_: IncomingMessage, response: NodeJS.WritableStream): boolean =>
    response.write('x');
  const server = await started({ others: never });
  const peers: Socket[] = [];
  const answers: string[] = [];

  for (let count = 0; count < 300; count++) {
    peers.push(await peer(server, '127.0.0.1', 'GET /slow HTTP/1.1\r\nHost: peer\r\n\r\n'));
    if (count % 50 === 49) answers.push(await probe(server, '127.0.0.1'));
  }

  expect(answers).toEqual(new Array(6).fill('200 ok'));
  // A probe that was answered last has had a place, too.
  await eventually(() => peers.filter(({ closed }) => !closed).length <= 128);
  expect(peers.slice(-127).every(({ closed }) => !closed)).toBe(true);
});

test('[attack A-2] a kept-alive connection is used again, and may be closed while no request uses it', async () => {
  const server = await started();
  const kept = await peer(server, '127.0.0.1', '');
  const answers: string[] = [];
  kept.on('data', (chunk) => answers.push(String(chunk)));
  for (const count of [1, 2]) {
    kept.write('GET /healthz HTTP/1.1\r\nHost: peer\r\n\r\n');
    await eventually(() => answers.join('').split('HTTP/1.1 200').length === count + 1);
  }

  await crowd(server, 512, '')();

  await eventually(() => kept.closed);
});
