/** What a reconciler does in a dry run past its client: it can ask `context.dryRun`, and is warned of otherwise. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configMap, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith } from './child.ts';
import { type Invocation, invoke } from './invocation.ts';
import { startServer } from './server.ts';

const namespace = 'demo';

/** The controller `caller` for ConfigMaps, whose reconciler is `body`. */
function moduleWith(body: string, options = ''): string {
  return `
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

export default controller({
  name: 'caller',
  for: configMaps,
  permissions: [{ resource: configMaps, verbs: ['patch'] }],
  ${options}
  async reconcile(object, context) {
    const { key } = context;
    ${body}
  },
});`;
}

/** Warnings on standard error. */
function warnings({ stderr }: Invocation): readonly string[] {
  return stderr.lines.filter((line) => line.includes('WARNING'));
}

function logged({ stderr }: Invocation): readonly Record<string, unknown>[] {
  const lines = stderr.lines.filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function otherService(): Promise<string> {
  const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function dryRunOf(body: string, options = ''): Promise<Invocation> {
  const server = await startServer();
  for (const name of ['a', 'b']) server.create(configMap(name, { namespace }));
  const folder = folderWith({ 'operator.ts': moduleWith(body, options) });
  return invoke(['run', '--dry-run', `${folder}/operator.ts`], {
    env: { CHANCERY_API_URL: server.url, WATCH_NAMESPACE: namespace },
  });
}

test.each([
  [
    'fetch',
    (host: string) => `await (await fetch('http://${host}/secret?token=hunter2')).text();`,
    (host: string) => `sends a request (GET http://${host})`,
  ],
  [
    'node:http',
    (host: string) => `
      const [response] = await once(http.get('http://${host}/secret?token=hunter2'), 'response');
      response.resume();
      await once(response, 'end');`,
    () => 'sends a request (GET http://127.0.0.1)',
  ],
  [
    'a connection',
    (host: string) => `
      const socket = net.connect(${host.replace('127.0.0.1:', '')}, '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();`,
    () => 'opens a connection',
  ],
  [
    'a program',
    () => `await once(execFile(process.execPath, ['--version', '--title=hunter2']), 'close');`,
    () => 'starts a program',
  ],
])('[K-66] a dry run warns once per controller about %s that bypasses the client, and the warning contains no secrets', async (_, code, told) => {
  const host = await otherService();

  const run = await dryRunOf(code(host));

  expect(await run.exit).toBe(0);
  expect(warnings(run)).toEqual([expect.stringContaining(`WARNING: caller ${told(host)}`)]);
  expect(warnings(run)[0]).toMatch(/for demo\/[ab]: .*context\.dryRun/);
  expect(run.stderr.lines.join()).not.toContain('hunter2');
});

test('[K-66] requests through the client, and code that checks `context.dryRun`, cause no warning', async () => {
  const run = await dryRunOf(`
    const body = { data: { dry: String(context.dryRun) } };
    await context.client.patch(configMaps, object.metadata, { type: 'merge', body });
    context.event('Normal', 'Seen', 'it was');
    if (!context.dryRun) await fetch('http://127.0.0.1:1/');
  `);

  expect(await run.exit).toBe(0);
  expect(warnings(run)).toEqual([]);
  expect(run.stdout.lines.join()).toContain('dry: "true"');
});

test('[K-66] the context of a finalizer also has the field `dryRun`', async () => {
  const server = await startServer();
  server.create(configMap('gone', { namespace, finalizers: ['example.dev/caller'] }));
  server.delete('v1', 'ConfigMap', namespace, 'gone');
  const options = `finalizer: { name: 'example.dev/caller', async finalize(object, { log, dryRun }) {
    log.warn({ dryRun }, 'finalized');
  } },`;
  const folder = folderWith({ 'operator.ts': moduleWith('', options) });

  const run = invoke(['run', '--dry-run', `${folder}/operator.ts`], {
    env: { CHANCERY_API_URL: server.url, WATCH_NAMESPACE: namespace },
  });

  expect(await run.exit).toBe(0);
  const line = logged(run).find(({ msg }) => msg === 'finalized');
  expect(line).toMatchObject({ dryRun: true });
});

test('[K-66] without `--dry-run`, the field `context.dryRun` is false, and no request causes a warning', async () => {
  const server = await startServer();
  server.create(configMap('a', { namespace }));
  const host = await otherService();
  const folder = folderWith({
    'operator.ts': moduleWith(`
      await (await fetch('http://${host}/')).text();
      context.log.warn({ dryRun: context.dryRun }, 'reconciled');`),
  });

  const run = invoke(['run', `${folder}/operator.ts`], {
    env: {
      CHANCERY_API_URL: server.url,
      WATCH_NAMESPACE: namespace,
      CHANCERY_HEALTH_PORT: '0',
      CHANCERY_METRICS_PORT: '0',
    },
  });

  const line = await eventually(() => logged(run).find(({ msg }) => msg === 'reconciled'));
  expect(line).toMatchObject({ dryRun: false });
  expect(warnings(run)).toEqual([]);
});
