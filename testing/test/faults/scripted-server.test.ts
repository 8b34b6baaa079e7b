import { once } from 'node:events';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Reply } from '../../src/faults/exchange.ts';
import {
  delayed,
  errorEvent,
  failure,
  json,
  raw,
  reset,
  silence,
  stream,
  text,
} from '../../src/faults/replies.ts';
import { ScriptedServer } from '../../src/faults/scripted-server.ts';
import { settleSockets } from '../../src/faults/settle-sockets.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';

async function start() {
  const clock = new FakeClock(1_000);
  const server = new ScriptedServer({ clock });
  await server.start();
  onTestFinished(() => server.close());
  return { clock, server };
}

interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  chunks: string[];
  end: 'open' | 'complete' | string;
}

/** Sends a request on a connection of its own, and writes the answer down as it comes. */
function ask(server: ScriptedServer, path: string, method = 'GET', body?: string): Answer {
  const answer: Answer = { status: undefined, headers: {}, chunks: [], end: 'open' };
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = send({
    port: server.port,
    host: '127.0.0.1',
    path,
    method,
    headers: length,
    agent: false,
  });
  onTestFinished(() => void sent.destroy());
  sent.on('error', (error) => {
    answer.end = (error as NodeJS.ErrnoException).code ?? 'error';
  });
  sent.on('response', (response) => {
    answer.status = response.statusCode;
    answer.headers = response.headers;
    response.on('data', (chunk: Buffer) => answer.chunks.push(chunk.toString()));
    response.on('error', (error) => {
      answer.end = (error as NodeJS.ErrnoException).code ?? 'error';
    });
    response.on('end', () => {
      answer.end = 'complete';
    });
  });
  sent.end(body);
  return answer;
}

async function answerTo(reply: Reply): Promise<Answer> {
  const { server } = await start();
  server.on({}, reply);
  const answer = ask(server, '/');
  await settleSockets();
  return answer;
}

test('a ScriptedServer records every request unchanged', async () => {
  const { clock, server } = await start();

  clock.advance(500);
  ask(server, '/api/v1/pods?watch=1&resourceVersion=7');
  await settleSockets();
  ask(server, '/api/v1/pods/a%20b', 'PATCH', '{"x":1}');
  await settleSockets();

  expect(server.requests).toMatchObject([
    {
      method: 'GET',
      path: '/api/v1/pods',
      query: { watch: '1', resourceVersion: '7' },
      isWatch: true,
      body: '',
      atMs: 1_500,
      closed: true,
    },
    { method: 'PATCH', path: '/api/v1/pods/a b', isWatch: false, body: '{"x":1}' },
  ]);
  expect([server.watches.length, server.reads.length, server.acceptedCount]).toEqual([1, 0, 2]);
});

test('[T-3] the first matching rule answers a request, each rule counts its matches, and unmatched requests get 404', async () => {
  const { server } = await start();
  server
    .on({ path: '/a', nth: 2 }, text('second'))
    .on({ path: /^\/a/, nth: [3, 4] }, text('third or fourth'))
    .on({ method: 'POST' }, text('posted'))
    .on({ path: '/a', watch: true }, text('watched'))
    .on({ path: '/a' }, text('any'));
  const asked = [
    ['/a'],
    ['/a'],
    ['/a'],
    ['/abc'],
    ['/a?watch=true'],
    ['/b', 'POST'],
    ['/b'],
  ] as const;

  const answers: string[] = [];
  for (const [path, method] of asked) {
    const answer = ask(server, path, method);
    await settleSockets();
    answers.push(`${answer.status} ${answer.chunks.join('').trim()}`);
  }

  expect(answers).toEqual([
    '200 any',
    '200 second',
    '200 third or fourth',
    '200 third or fourth',
    '200 watched',
    '200 posted',
    '404 404 page not found',
  ]);
});

test('`json`, `text` and `failure` make complete answers with a content-length', async () => {
  const answers = [
    await answerTo(json({ a: 'é' }, 201, { etag: '"x"' })),
    await answerTo(text('Forbidden', 403)),
    await answerTo(failure({ code: 429, reason: 'TooManyRequests' }, { 'retry-after': '2' })),
  ];

  expect(answers).toMatchObject([
    { status: 201, headers: { etag: '"x"', 'content-length': '10' }, chunks: ['{"a":"é"}'] },
    { status: 403, headers: { 'content-type': 'text/plain; charset=utf-8' }, end: 'complete' },
    { status: 429, headers: { 'retry-after': '2', 'content-type': 'application/json' } },
  ]);
  expect(JSON.parse(answers[2]?.chunks.join('') ?? '')).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 429,
    reason: 'TooManyRequests',
  });
});

test('`errorEvent` writes one line', () => {
  const line = errorEvent({ code: 410, reason: 'Expired' });

  expect(line.endsWith('}\n')).toBe(true);
  expect(JSON.parse(line)).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
});

test.each([
  ['finish', 'complete'],
  ['cut', 'ECONNRESET'], // what Node says of a chunked body without its last chunk
  ['reset', 'ECONNRESET'],
  ['hang', 'open'],
] as const)('a stream that ends with %s sends all its chunks first', async (end, seen) => {
  const answer = await answerTo(stream(['one', 'two'], { end }));

  expect(answer).toMatchObject({ status: 200, end: seen });
  expect(answer.chunks.join('')).toBe('onetwo');
});

test('a stream sends its headers at once, and waits for the clock and for promises', async () => {
  const { clock, server } = await start();
  const gate = Promise.withResolvers<void>();
  server.on({}, stream([{ waitMs: 5_000 }, 'a', { until: gate.promise }, 'b']));
  const answer = ask(server, '/');

  await settleSockets();
  const first = { status: answer.status, text: answer.chunks.join('') };
  clock.advance(5_000);
  await settleSockets();
  const second = answer.chunks.join('');
  gate.resolve();
  await settleSockets();

  expect(first).toEqual({ status: 200, text: '' });
  expect([second, answer.chunks.join(''), answer.end]).toEqual(['a', 'ab', 'complete']);
});

test('raw bytes are sent as the whole answer', async () => {
  const { server } = await start();
  server.on({}, raw(['HTTP/1.1 299 Odd\r\n', 'x: y\r\n\r\n']));
  const socket = connect(server.port, '127.0.0.1');
  const received: string[] = [];
  socket.on('data', (chunk) => received.push(chunk.toString()));

  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'end');

  expect(received.join('')).toBe('HTTP/1.1 299 Odd\r\nx: y\r\n\r\n');
});

test('[T-3] a ScriptedServer can give no answer, reset the connection, or answer after a delay', async () => {
  const { clock, server } = await start();
  server.on({ path: '/silence' }, silence()).on({ path: '/reset' }, reset());
  server.on({ path: '/delayed' }, delayed(2_000, text('late')));
  const answers = ['/silence', '/reset', '/delayed'].map((path) => ask(server, path));

  await settleSockets();
  const before = answers.map(({ status, end }) => status ?? end);
  clock.advance(2_000);
  await settleSockets();

  expect(before).toEqual(['open', 'ECONNRESET', 'open']);
  expect(answers.map(({ status, end }) => status ?? end)).toEqual(['open', 'ECONNRESET', 200]);
  expect(server.openConnections).toBeGreaterThanOrEqual(1);
});

test('close() ends hanging requests and waiting replies, and can be called twice', async () => {
  const { clock, server } = await start();
  server.on({ path: '/hangs' }, silence()).on({}, stream(['a', { waitMs: 60_000 }, 'b']));
  const answers = [ask(server, '/hangs'), ask(server, '/waits')];
  await settleSockets();

  await server.close();
  await server.close();
  await settleSockets();

  expect(answers.map(({ end }) => end)).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(server.openConnections).toBe(0);
  expect(clock.pending).toBe(0);
});

test('close() throws the error of a reply function that has thrown', async () => {
  const server = new ScriptedServer();
  await server.start();
  server.on({}, () => {
    throw new Error('a bug of the test');
  });

  const answer = ask(server, '/');
  await settleSockets();

  expect(answer.end).toBe('ECONNRESET');
  await expect(server.close()).rejects.toThrow('a bug of the test');
});
