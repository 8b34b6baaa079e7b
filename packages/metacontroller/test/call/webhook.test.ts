/** Hooks over HTTP: what is sent, which answers count, and what the others become. Real servers on the loopback. */
import { createServer, type Socket } from 'node:net';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { answering, hookServer, scriptedHook, webhook } from './support.ts';

const ANSWER = '{"children":[]}';

test('[contract 1] a hook gets its request by POST, and the body of a response with status 200 is the answer', async () => {
  const { url, received } = await scriptedHook(answering(200, {}, ANSWER));
  const { call, hook } = webhook({ url: `${url}/sync?of=crops` });

  await expect(call()).resolves.toEqual({ text: ANSWER });

  expect(received).toMatchObject([
    {
      method: 'POST',
      url: '/sync?of=crops',
      headers: { 'content-type': 'application/json' },
      body: '{"parent":{"a":1}}',
    },
  ]);
  expect(hook.description).toBe(`${url}/sync?…`);
});

test.each([
  [500, 'BadStatus'],
  [204, 'BadStatus'],
  [201, 'BadStatus'],
  [404, 'BadStatus'],
  [304, 'BadStatus'],
  [412, 'BadStatus'],
])('[contract 3] [metacontroller 8] a response with status %i is an error', async (status, reason) => {
  const { url } = await scriptedHook(answering(status, {}, ''));
  const { call } = webhook({ url });

  await expect(call()).rejects.toMatchObject({
    name: 'HookError',
    reason,
    layer: 'user-code',
    message: `${url}/ answered ${status}, and not 200`,
    retryAfterMs: undefined,
  });
});

test('the error contains the plain text of a failed response on one line, and no text of an HTML page', async () => {
  const { url } = await scriptedHook(
    answering(500, { 'content-type': 'text/plain; charset=utf-8' }, 'no such crop\nTraceback'),
    answering(500, { 'content-type': 'text/html' }, '<html>secret</html>'),
  );
  const { call } = webhook({ url });

  await expect(call()).rejects.toThrow(/not 200: no such crop$/);
  await expect(call()).rejects.toThrow(/not 200$/);
});

test('[contract 14] a redirect is not followed, whatever its target', async () => {
  const elsewhere = await scriptedHook(answering(200, {}, ANSWER));
  const { url } = await scriptedHook(answering(307, { location: `${elsewhere.url}/` }, ''));
  const { call } = webhook({ url });

  await expect(call()).rejects.toMatchObject({ reason: 'BadStatus' });
  await expect(call()).rejects.toThrow('answered 307, and not 200; redirects are not followed');
  expect(elsewhere.received).toEqual([]);
});

/** Monday, 5 January 2026, 12:00:00 UTC. */
const NOON = Date.UTC(2026, 0, 5, 12);

test.each([
  ['3', 3_000],
  ['Mon, 05 Jan 2026 12:00:07 GMT', 7_000],
  [undefined, 1_000],
  ['', 1_000],
  ['0', 1_000],
  ['-5', 1_000],
  ['soon', 1_000],
  ['Mon, 05 Jan 2026 11:00:00 GMT', 1_000],
  ['99999999999', 3_600_000],
])('[contract 4] [contract 5] [metacontroller 8] [metacontroller M6] after a 429 with Retry-After %s, the next call waits %i ms', async (header, retryAfterMs) => {
  const headers = header === undefined ? {} : { 'retry-after': header };
  const { url } = await scriptedHook(answering(429, headers, ''));
  const { call } = webhook({ url }, { clock: new FakeClock(NOON) });

  await expect(call()).rejects.toMatchObject({ reason: 'TooManyRequests', retryAfterMs });
});

test('[metacontroller 8] a call of a hook that hangs ends at its time limit', async () => {
  const { url, received } = await scriptedHook(() => {});
  const { call, clock } = webhook({ url, timeoutMs: 1_000 });
  const calling = expect(call()).rejects.toMatchObject({
    reason: 'Timeout',
    message: `${url}/ has not answered within 1 s`,
  });
  await eventually(() => expect(received).toHaveLength(1));

  clock.advance(1_000);

  await calling;
});

test('the time limit applies to the whole answer, even if a hook keeps sending single bytes', async () => {
  let sent = 0;
  const { url } = await scriptedHook((response) => {
    response.writeHead(200);
    response.write('{');
    sent++;
    response.on('drip', () => response.write(' '));
  });
  const { call, clock } = webhook({ url, timeoutMs: 10_000 });
  const calling = expect(call()).rejects.toMatchObject({ reason: 'Timeout' });
  await eventually(() => expect(sent).toBe(1));

  clock.advance(9_999);
  clock.advance(1);

  await calling;
});

test('[contract 15] an answer is cut off at 10 MB', async () => {
  let isCut = false;
  const { url } = await scriptedHook((response) => {
    response.on('close', () => {
      isCut = !response.writableFinished;
    });
    response.writeHead(200).end(' '.repeat(40_000_000));
  });
  const { call } = webhook({ url });

  const error = await call().then(
    () => 'answered', // and not the answer, which a failed test would print
    (thrown: unknown) => thrown,
  );

  expect(error).toMatchObject({
    reason: 'TooLarge',
    message: `${url}/ answered more than 10000000 bytes`,
  });
  await eventually(() => expect(isCut).toBe(true));
});

test('[contract 15] an answer of 10 MB is read whole', async () => {
  const { url } = await scriptedHook(answering(200, {}, 'x'.repeat(10_000_000)));

  const answer = await webhook({ url }).call();

  expect('text' in answer && answer.text.length).toBe(10_000_000);
});

test('only the needed part of an error body is read', async () => {
  let isCut = false;
  const { url } = await scriptedHook((response) => {
    response.on('close', () => {
      isCut = !response.writableFinished;
    });
    response.writeHead(500, { 'content-type': 'text/plain' }).end('e'.repeat(40_000_000));
  });

  await expect(webhook({ url }).call()).rejects.toThrow(/not 200: e{200}…$/);
  await eventually(() => expect(isCut).toBe(true));
});

test('an HTML page with status 200 is returned as text', async () => {
  const { url } = await scriptedHook(answering(200, { 'content-type': 'text/html' }, '<html>'));

  await expect(webhook({ url }).call()).resolves.toEqual({ text: '<html>' });
});

test('a hook is unreachable if nothing listens, if the connection breaks, or if its server does not speak HTTP', async () => {
  const broken = await hookServer((request) => request.socket.destroy());
  const other = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('SSH-2.0-OpenSSH_9.9\r\n');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await eventually(() => expect(other.listening).toBe(true));
  const { port } = other.address() as { readonly port: number };

  await expect(webhook({ url: 'http://127.0.0.1:9/' }).call()).rejects.toMatchObject({
    reason: 'Unreachable',
    context: { cause: 'ECONNREFUSED', hook: 'http://127.0.0.1:9/' },
  });
  await expect(webhook({ url: broken.url }).call()).rejects.toMatchObject({
    reason: 'Unreachable',
  });
  await expect(webhook({ url: `http://127.0.0.1:${port}` }).call()).rejects.toMatchObject({
    reason: 'Unreachable',
  });
});

test.each([
  '',
  'hooks/sync',
  'ftp://farm.example/',
  'file:///etc/passwd',
  'unix:/run/hook.sock',
])('the URL "%s" is refused: only http and https are allowed', async (url) => {
  await expect(webhook({ url }).call()).rejects.toMatchObject({ reason: 'RefusedAddress' });
});

test('user and password of a URL are sent, and never appear in messages', async () => {
  const { url, received } = await scriptedHook(answering(500, {}, ''));
  const { call, hook } = webhook({ url: url.replace('//', '//anna:p%40ss@') });

  const error = await call().catch((thrown: unknown) => thrown);

  expect(received[0]?.headers.authorization).toBe(`Basic ${btoa('anna:p@ss')}`);
  expect(`${hook.description} ${JSON.stringify(error)} ${error}`).not.toMatch(/anna|p%40ss|p@ss/);
});

test('an aborted call ends with the reason of the abort, and its connection closes', async () => {
  let isClosed = false;
  const { url, received } = await scriptedHook((response) => {
    response.on('close', () => {
      isClosed = true;
    });
  });
  const stop = new AbortController();
  const { call } = webhook({ url });
  const calling = expect(call({ signal: stop.signal })).rejects.toThrow('leadership lost');
  await eventually(() => expect(received).toHaveLength(1));

  stop.abort(new Error('leadership lost'));

  await calling;
  await eventually(() => expect(isClosed).toBe(true));
});

test('calls reuse connections, and after close() no connection is open', async () => {
  const sockets = new Set<Socket>();
  const { url } = await hookServer((request, response) => {
    sockets.add(request.socket);
    request.resume().on('end', () => response.end(ANSWER));
  });
  const { call, hook, clock } = webhook({ url });

  for (let i = 0; i < 10; i++) await call();
  await hook.close();

  expect(sockets.size).toBeLessThan(10);
  await eventually(() => expect([...sockets].every(({ closed }) => closed)).toBe(true));
  expect(clock.pending).toBe(0);
});
