/** `chancery run --dry-run` behind an ambassador whose filter refuses a write. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deployment } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';
import { startServer } from './server.ts';

const MODULE = `
import { controller } from 'chancery';
import { deployments, services } from 'chancery/kubernetes';

export default controller({
  name: 'shop',
  for: deployments,
  permissions: [{ resource: services, verbs: ['get'] }],
  async reconcile({ metadata: { namespace, name } }, { client }) {
    await client.create(services, {
      apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec: { ports: [{ port: 80 }] },
    });
  },
});`;

/** Passes requests on to `target`, except those that `refuses` takes: kubectl proxy answers them itself. */
async function ambassador(
  target: string,
  refuses: (method: string, path: string) => boolean,
): Promise<string> {
  const server = createServer((incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    if (refuses(method, path)) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end('<h3>Unauthorized</h3>');
      return;
    }
    const passed = request(new URL(path, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    response.on('close', () => passed.destroy());
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a dry run prints a write refused by the filter only once, with the reason', async () => {
  const server = await startServer();
  server.create(deployment('web', { namespace: 'demo', replicas: 1 }));
  const url = await ambassador(
    server.url,
    (method, path) => method === 'POST' && path.includes('/services'),
  );
  const folder = folderWith({ 'operator.ts': MODULE });

  const { exit, stdout, stderr } = invoke(['run', '--dry-run', `${folder}/operator.ts`], {
    env: { CHANCERY_API_URL: url, WATCH_NAMESPACE: 'demo' },
  });

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([
    expect.stringMatching(
      /^# refused: create services demo\/web by shop: .*of services get is declared, and not create/i,
    ),
  ]);
  expect(stderr.lines).toContain(
    'dry run: 0 writes to 0 objects in 1 controller, 1 refused write; nothing was written',
  );
});
