/** Reads that the API server does not answer as it should. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { APP, AUTO, startReloader } from './support/start.ts';

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

test('[reloader 29] reads that fail in the API server are retried: no resource counts as deleted, and the restart happens later', async () => {
  let failures = 0;
  let failing = true;
  const between = (ambassador: string): Promise<string> =>
    failingLine(ambassador, (method, path) => {
      const fails = failing && method === 'GET' && path.endsWith('/secrets/key');
      if (fails) failures++;
      return fails;
    });
  const args = ['--reload-on-delete=true'];
  const reloader = await startReloader({ stopped: true, args, between });
  await reloader.secret('key', { password: 'hidden' });
  const env = [{ name: 'STAKATER_KEY_SECRET', value: sha1('password=old') }];
  const container = { ...APP, env, envFrom: [{ secretRef: { name: 'key' } }] };
  await reloader.workload('web', { annotations: AUTO, spec: { containers: [container] } });

  reloader.startOperator();
  await eventually(() => failures >= 2);
  const meanwhile = await reloader.variables('web');
  failing = false;
  await reloader.rolledOut('web', 1);

  expect(meanwhile).toEqual({ STAKATER_KEY_SECRET: sha1('password=old') });
  expect(await reloader.variables('web')).toEqual({ STAKATER_KEY_SECRET: sha1('password=hidden') });
  expect(reloader.rollouts('web')).toBe(1);
});

/** Passes requests on, and answers 500 where `fails` says so. */
async function failingLine(
  to: string,
  fails: (method: string, path: string) => boolean,
): Promise<string> {
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    if (fails(method, url)) {
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 500 };
      const message = 'etcdserver: request timed out';
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...status, message, reason: 'InternalError', metadata: {} }));
      return;
    }
    const onward = request(new URL(url, to), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
