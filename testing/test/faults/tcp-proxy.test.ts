import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { CutKind } from '../../src/faults/connection-fault.ts';
import { settleSockets } from '../../src/faults/settle-sockets.ts';
import { TcpProxy } from '../../src/faults/tcp-proxy.ts';
import { eventually } from '../../src/time/eventually.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';

/** A server that sends what a test sends, a proxy before it, and a client that writes down. */
async function start() {
  const clock = new FakeClock();
  const served: Socket[] = [];
  const received: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    served.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => received.push(chunk.toString()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = new TcpProxy({ port: (server.address() as AddressInfo).port, clock });
  await proxy.start();
  const clients: Client[] = [];
  onTestFinished(async () => {
    for (const { socket } of clients) socket.destroy();
    await proxy.close();
    for (const socket of served) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const client = async (): Promise<Client> => {
    const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    const one: Client = { socket, chunks: [], events: [] };
    clients.push(one);
    socket.on('data', (chunk) => one.chunks.push(chunk.toString()));
    for (const event of ['end', 'error', 'close'] as const) {
      socket.on(event, (error?: unknown) => {
        one.events.push(error instanceof Error ? codeOf(error) : event);
      });
    }
    await settleSockets();
    return one;
  };
  return { clock, served, received, proxy, client };
}

interface Client {
  readonly socket: Socket;
  readonly chunks: string[];
  readonly events: string[];
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

test('a TcpProxy passes bytes on in both directions and counts them', async () => {
  const { served, received, proxy, client } = await start();
  const one = await client();

  one.socket.write('question');
  served[0]?.write('answer!');
  await settleSockets();

  expect(received).toEqual(['question']);
  expect(one.chunks).toEqual(['answer!']);
  const [connection] = proxy.connections;
  expect(connection).toMatchObject({ bytesToServer: 8, bytesToClient: 7, closed: false });
});

test('when one side ends its connection, a TcpProxy ends the other side, and counts the connection as closed', async () => {
  const { served, proxy, client } = await start();
  const one = await client();

  served[0]?.end('last');
  await settleSockets();
  const halfway = { chunks: [...one.chunks], events: [...one.events] };
  one.socket.end();
  await settleSockets();

  expect(halfway).toEqual({ chunks: ['last'], events: ['end'] });
  expect(one.events).toEqual(['end', 'close']);
  expect(proxy.openConnections).toEqual([]);
  expect(served[0]?.closed).toBe(true);
});

test('a TcpProxy that refuses new connections keeps its open connections and its port', async () => {
  const { served, proxy, client } = await start();
  const before = await client();
  const { port } = proxy;

  proxy.refuse();
  const during = await client();
  served[0]?.write('still here');
  await settleSockets();
  await proxy.accept();
  const after = await client();

  expect(during.events).toEqual(['ECONNREFUSED', 'close']);
  expect(before.chunks).toEqual(['still here']);
  expect(after.events).toEqual([]);
  expect(proxy.port).toBe(port);
  expect(proxy.acceptedCount).toBe(2);
});

test('faults of next() apply to the given number of connections, and faults of always() to every later connection', async () => {
  const { proxy, client } = await start();
  proxy.next({ resetAtOnce: true }, 2);

  const clients = [await client(), await client(), await client()];
  proxy.always({ resetAtOnce: true });
  clients.push(await client(), await client());

  expect(clients.map(({ events }) => events[0])).toEqual([
    'ECONNRESET',
    'ECONNRESET',
    undefined,
    'ECONNRESET',
    'ECONNRESET',
  ]);
  expect(proxy.acceptedCount).toBe(5);
  expect(proxy.connections).toHaveLength(1);
});

test('a TcpProxy delays each chunk, measured by the given clock', async () => {
  const { clock, served, proxy, client } = await start();
  proxy.next({ delayMs: 300 });
  const one = await client();

  served[0]?.write('late');
  await settleSockets();
  clock.advance(299);
  await settleSockets();
  const early = [...one.chunks];
  clock.advance(1);
  await settleSockets();

  expect(early).toEqual([]);
  expect(one.chunks).toEqual(['late']);
});

test('a TcpProxy with bytesPerWrite sends small chunks and loses no byte', async () => {
  const { served, proxy, client } = await start();
  proxy.next({ bytesPerWrite: 1 });
  const one = await client();

  served[0]?.write('slowly');
  await eventually(() => one.chunks.join('') === 'slowly');

  expect(one.chunks.length).toBeGreaterThan(1);
});

test.each<[CutKind, readonly string[], boolean]>([
  ['reset', ['ECONNRESET', 'close'], true],
  ['close', ['end'], true],
  ['half-close', ['end'], false],
  ['freeze', [], false],
])('[T-3] a TcpProxy cuts a connection after exactly the given number of bytes: %s', async (cutWith, events, serverGone) => {
  const { served, proxy, client } = await start();
  proxy.next({ cutAfterBytes: 5, cutWith });
  const one = await client();

  served[0]?.write('123');
  await settleSockets();
  served[0]?.write('45678');
  await settleSockets();

  expect(one.chunks.join('')).toBe('12345');
  expect(one.events).toEqual(events);
  expect(served[0]?.destroyed === true || served[0]?.readableEnded === true).toBe(serverGone);
});

test('a connection can be reset right after it is half-closed', async () => {
  const { proxy, client } = await start();
  const one = await client();

  proxy.connections[0]?.cut('half-close');
  proxy.connections[0]?.cut('reset');
  await proxy.close();
  await eventually(() => one.events.includes('close') || one.events.includes('end'));

  expect(proxy.openConnections).toEqual([]);
});

test('a half-closed connection still passes on what the client sends', async () => {
  const { received, proxy, client } = await start();
  const one = await client();

  proxy.connections[0]?.cut('half-close');
  await settleSockets();
  one.socket.write('still here');
  await settleSockets();

  expect(one.events).toEqual(['end']);
  expect(received).toEqual(['still here']);
});

test('[T-3] a frozen TcpProxy accepts connections and passes nothing on, and loses nothing once thawed', async () => {
  const { served, received, proxy, client } = await start();
  const before = await client();

  proxy.freeze();
  const during = await client();
  during.socket.write('new');
  before.socket.write('old');
  served[0]?.write('answer');
  await settleSockets();
  const frozen = { received: [...received], chunks: [...before.chunks] };
  proxy.thaw();
  await settleSockets();

  expect(frozen).toEqual({ received: [], chunks: [] });
  expect(received.toSorted()).toEqual(['new', 'old']);
  expect(before.chunks).toEqual(['answer']);
});

test('close() ends every connection of a TcpProxy, even a frozen one, and can be called twice', async () => {
  const { proxy, client } = await start();
  const frozen = await client();
  const live = await client();
  proxy.connections[0]?.freeze();

  await proxy.close();
  await proxy.close();
  await settleSockets();

  expect(proxy.openConnections).toEqual([]);
  expect([frozen.events[0], live.events[0]]).toEqual(['ECONNRESET', 'ECONNRESET']);
});

test('a TcpProxy closes the connection when its server is unreachable', async () => {
  const proxy = new TcpProxy({ port: 1 });
  await proxy.start();
  onTestFinished(() => proxy.close());

  const socket = connect({ port: proxy.port, host: '127.0.0.1' });
  socket.on('error', () => {});
  await once(socket, 'close');

  expect(proxy.openConnections).toEqual([]);
});
