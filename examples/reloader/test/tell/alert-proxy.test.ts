/** Alerts through a proxy, which only `ALERT_WEBHOOK_PROXY` names. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sendAlert } from '../../tell/alerts.ts';
import { serve, status } from './servers.ts';

const send = (url: string, proxy: string | undefined): Promise<string | undefined> =>
  sendAlert(
    'text',
    {
      sink: 'raw',
      url,
      proxy,
      additionalInfo: undefined,
      timeoutMs: 10_000,
      clock: new FakeClock(),
    },
    new AbortController().signal,
  );

/** A proxy for CONNECT. It answers with `code`, and keeps the first bytes that come through the tunnel. */
async function tunnelProxy(code: number) {
  const asked: { readonly path: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const through: Buffer[] = [];
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', ({ url: path, headers }, socket) => {
    asked.push({ path, headers });
    socket.on('error', () => {});
    socket.write(`HTTP/1.1 ${code} Answer\r\n\r\n`);
    socket.once('data', (bytes: Buffer) => {
      through.push(bytes);
      socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  return { url: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked, through };
}

test('for an http target, the proxy gets the whole address, and the credentials for the proxy', async () => {
  const proxy = await serve(status(200));

  const reason = await send(
    'http://chat.invalid:8080/hook?key=1',
    proxy.url.replace('//', '//user:word@'),
  );

  expect(reason).toBeUndefined();
  expect(proxy.received).toMatchObject([
    {
      method: 'POST',
      path: 'http://chat.invalid:8080/hook?key=1',
      body: 'text',
      headers: {
        host: 'chat.invalid:8080',
        'proxy-authorization': `Basic ${Buffer.from('user:word').toString('base64')}`,
      },
    },
  ]);
});

test('an https target is reached through a tunnel, in which the proxy receives only TLS', async () => {
  const proxy = await tunnelProxy(200);

  const reason = await send('https://chat.invalid/services/TOKEN', `http://user:word@${proxy.url}`);

  expect(reason).toMatch(/^the request failed: E/); // the proxy of this test goes no further
  expect(proxy.asked).toMatchObject([
    {
      path: 'chat.invalid:443',
      headers: {
        host: 'chat.invalid:443',
        'proxy-authorization': `Basic ${Buffer.from('user:word').toString('base64')}`,
      },
    },
  ]);
  const [hello] = proxy.through;
  expect(hello?.subarray(0, 2)).toEqual(Buffer.from([22, 3])); // a TLS handshake
  expect(hello?.includes('chat.invalid')).toBe(true); // for this server
  expect(hello?.includes('TOKEN')).toBe(false);
});

test('if a proxy refuses the tunnel, the error gives this as its reason', async () => {
  const proxy = await tunnelProxy(407);

  expect(await send('https://chat.invalid/', `http://${proxy.url}`)).toBe('the proxy answered 407');
});

test('alerts do not use the proxies in HTTP_PROXY, http_proxy and ALL_PROXY', async () => {
  const proxy = await serve(status(200));
  const server = await serve(status(200));
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, proxy.url);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });

  expect(await send(server.url, undefined)).toBeUndefined();
  expect([server.received.length, proxy.received.length]).toEqual([1, 0]);
});
