/** The stand-in answers as a real `kubectl proxy` does where an operator can tell. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { proxyFilter } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import configRestart from '../../../examples/config-restart/operator.ts';
import { DECLARED, HOSTILE, split } from '../../../test/proxy/support/requests.ts';
import { REFUSED, send } from '../../../test/proxy/support/send.ts';
import { startUpstream } from '../../../test/proxy/support/upstream.ts';
import { rawServer } from '../../../test/transport/raw-server.ts';
import { StandInAmbassador } from '../../src/ambassador/stand-in-ambassador.ts';
import { consistently } from '../../src/time/consistently.ts';

const filter = proxyFilter([configRestart], { namespaces: ['demo'] });

async function start(server: string): Promise<string> {
  const ambassador = new StandInAmbassador({ server, filter });
  await ambassador.start();
  onTestFinished(() => ambassador.kill());
  return ambassador.url;
}

test('the stand-in ambassador passes accepted requests on unchanged', async () => {
  const upstream = await startUpstream();
  const ambassador = await start(upstream.url);

  for (const line of DECLARED) await send(ambassador, ...split(line));

  expect(upstream.seen).toEqual(DECLARED);
});

test('the stand-in ambassador refuses hostile requests with the message of kubectl proxy', async () => {
  const upstream = await startUpstream();
  const ambassador = await start(upstream.url);

  const answers = new Map<string, unknown>();
  for (const line of HOSTILE) {
    const [method] = split(line);
    if (method === 'CONNECT') continue; // Node hands it to nobody, and closes the connection
    answers.set(line, await send(ambassador, ...split(line)));
  }

  expect(answers.size).toBeGreaterThanOrEqual(35);
  expect(
    [...answers].filter(([, answer]) => JSON.stringify(answer) !== JSON.stringify(REFUSED)),
  ).toEqual([]);
  expect(upstream.seen).toEqual([]);
});

test.each([
  ['evil.example'],
  ['127.0.0.2'],
  ['LOCALHOST:8001'],
])('the stand-in ambassador refuses the host %s, as kubectl proxy does', async (host) => {
  const upstream = await startUpstream();
  const ambassador = await start(upstream.url);

  const answer = await send(ambassador, 'GET', '/version', { host });

  expect(answer).toEqual(REFUSED);
});

test('the stand-in ambassador answers 500 text/plain when the API server is unreachable', async () => {
  const gone = await rawServer(() => undefined);
  await gone.close();
  const ambassador = await start(gone.url);

  const answer = await send(ambassador, 'GET', '/version');

  expect(answer).toMatchObject({ status: 500, contentType: 'text/plain; charset=utf-8' });
  expect(answer.body).toMatch(/^dial tcp .*ECONNREFUSED/);
});

test('the stand-in ambassador passes on the headers of a watch before the first event, and closes the connections on both sides', async () => {
  const head =
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  const upstream = await rawServer(() => head);
  const ambassador = await start(upstream.url);
  const stop = new AbortController();

  const { status, body } = await fetch(`${ambassador}/version`, { signal: stop.signal });
  stop.abort();
  await expect(text(body ?? expect.unreachable())).rejects.toThrow();

  expect(status).toBe(200);
  await expect.poll(() => upstream.sockets[0]?.destroyed).toBe(true);
});

test('the stand-in ambassador has the same port after a restart, and refuses connections in between', async () => {
  const upstream = await startUpstream();
  const ambassador = new StandInAmbassador({ server: upstream.url });
  onTestFinished(() => ambassador.kill());
  await ambassador.start();
  const { url } = ambassador;

  await ambassador.kill();
  await ambassador.kill();
  await expect(fetch(`${url}/version`)).rejects.toThrow();
  await ambassador.start();

  expect(ambassador.url).toBe(url);
  expect((await fetch(`${url}/version`)).status).toBe(200);
});

test('a frozen stand-in ambassador accepts connections and answers them once thawed', async () => {
  const upstream = await startUpstream();
  const ambassador = new StandInAmbassador({ server: upstream.url });
  onTestFinished(() => ambassador.kill());
  await ambassador.start();

  ambassador.freeze();
  let isAnswered = false;
  const answer = fetch(`${ambassador.url}/version`).then(({ status }) => {
    isAnswered = true;
    return status;
  });
  await consistently(() => !isAnswered, { forMs: 100 });
  ambassador.thaw();

  expect(await answer).toBe(200);
});

test('the stand-in ambassador without a filter refuses only exec and attach, like kubectl proxy', async () => {
  const upstream = await startUpstream();
  const ambassador = new StandInAmbassador({ server: upstream.url });
  onTestFinished(() => ambassador.kill());
  await ambassador.start();
  const pod = '/api/v1/namespaces/demo/pods/a';

  const answers = await Promise.all(
    [pod, `${pod}/log`, `${pod}/exec`, `${pod}/attach`].map(
      async (path) => (await send(ambassador.url, 'GET', path)).status,
    ),
  );

  expect(answers).toEqual([200, 200, 403, 403]);
});

test.each([
  ['GET', '/api/v1//configmaps', '/api/v1/configmaps'],
  ['POST', '//api/v1/namespaces/demo/pods', '/api/v1/namespaces/demo/pods'],
  ['GET', '/api/./v1/nodes/?limit=1&a=//b', '/api/v1/nodes/?limit=1&a=//b'],
  ['DELETE', '/api/v1/namespaces/demo/../other', '/api/v1/namespaces/other'],
  ['HEAD', '/api/v1/nodes//', '/api/v1/nodes/'],
  ['GET', '/api//v1/%61', '/api/v1/%2561'],
  ['PATCH', '/..', '/'],
])('the stand-in ambassador redirects %s %s to %s before the filter checks the request', async (method, path, location) => {
  const upstream = await startUpstream();
  const ambassador = await start(upstream.url);
  const { hostname, port } = new URL(ambassador);

  const sent = request({ hostname, port, method, path, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];

  const shown = location.replaceAll('&', '&amp;');
  expect([response.statusCode, response.headers.location, await text(response)]).toEqual([
    301,
    location,
    method === 'GET' ? `<a href="${shown}">Moved Permanently</a>.\n\n` : '',
  ]);
  expect(upstream.seen).toEqual([]);
});
