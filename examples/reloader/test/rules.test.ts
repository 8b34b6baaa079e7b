/** Rules of the contract on a cluster: which type counts, which hash is written, what a failed read means. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configMap, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { chartArguments } from '../contract/chart.ts';
import { APP, AUTO, envFrom, startReloader } from './support/start.ts';

const sha1 = (text: string | Buffer): string => createHash('sha1').update(text).digest('hex');

test('[reloader 2] auto for one type leaves the other type out; with --auto-reload-all a word that is not true takes a workload out', async () => {
  const reloader = await startReloader({ args: ['--auto-reload-all'] });
  await reloader.config('app', { mode: '1' });
  await reloader.secret('key', { mode: '1' });
  const references = envFrom('configmap/app', 'secret/key');
  const auto = (type: string, value: string) => ({ [`${type}.reloader.stakater.com/auto`]: value });
  const workloads = {
    all: {},
    configs: { ...auto('configmap', 'T'), ...auto('secret', '0') },
    secrets: { ...auto('configmap', 'false'), ...auto('secret', '1') },
    none: { 'reloader.stakater.com/auto': 'false' },
    joined: { 'reloader.stakater.com/auto': 'no', ...auto('secret', 'TRUE') },
  };
  for (const [name, annotations] of Object.entries(workloads)) {
    await reloader.workload(name, { annotations, ...references });
  }
  const names = Object.keys(workloads);
  for (const name of names) if (name !== 'none') await reloader.recorded(name);

  await reloader.config('app', { mode: '2' });
  await reloader.handled();
  const afterConfig = names.map((name) => reloader.rollouts(name));
  await reloader.secret('key', { mode: '2' });
  await reloader.handled();
  await eventually(() => reloader.rollouts('all') === 2);

  expect(afterConfig).toEqual([1, 1, 0, 0, 0]);
  expect(names.map((name) => reloader.rollouts(name))).toEqual([2, 1, 1, 0, 1]);
  expect((await reloader.live('none')).metadata.annotations).toEqual(workloads.none);
});

test('[reloader 8] the variables have the hashes of the original: bytes of Secrets, base64 of binary data, line ends, nothing at all', async () => {
  const reloader = await startReloader();
  const bytes = Buffer.from([0, 254, 7]);
  const put = (round: number) =>
    reloader.apply([
      configMap('mixed', {
        data: { 'z.properties': `a=${round}\nb=2\n` },
        binaryData: { bin: bytes.toString('base64') },
      }),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'raw' },
        data: { raw: Buffer.concat([bytes, Buffer.from([round])]).toString('base64') },
      },
      configMap('emptied', { data: round === 1 ? { some: 'value' } : {} }),
    ]);
  await put(1);
  const references = envFrom('configmap/mixed', 'configmap/emptied', 'secret/raw');
  await reloader.workload('web', { annotations: AUTO, ...references });
  await reloader.recorded('web');

  await put(2);

  await eventually(async () => {
    expect(await reloader.variables('web')).toEqual({
      STAKATER_MIXED_CONFIGMAP: sha1(`bin=${bytes.toString('base64')};z.properties=a=2\nb=2\n`),
      STAKATER_RAW_SECRET: sha1(Buffer.concat([Buffer.from('raw='), bytes, Buffer.from([2])])),
      STAKATER_EMPTIED_CONFIGMAP: sha1(''),
    });
  });
});

test('[reloader 29] reads that the API server fails are tried again: nothing counts as deleted meanwhile, and the restart comes', async () => {
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

test('[reloader 30] the operator runs with the arguments that chart values become', async () => {
  const values = {
    reloader: {
      autoReloadAll: true,
      reloadStrategy: 'annotations',
      ignoreSecrets: true,
      ignoreJobs: true,
      ignoreCronJobs: true,
      custom_annotations: { auto: 'example.dev/reload' },
    },
  };
  const { args } = chartArguments(values, { namespace: 'reloader', name: 'reloader' });
  const reloader = await startReloader({ args });
  await reloader.config('app', { mode: '1' });
  await reloader.secret('key', { mode: '1' });
  const references = envFrom('configmap/app', 'secret/key');
  await reloader.workload('web', references);
  await reloader.workload('off', { annotations: { 'example.dev/reload': 'false' }, ...references });
  expect(Object.keys(await reloader.recorded('web'))).toEqual(['configmap/app']);

  await reloader.secret('key', { mode: '2' });
  await reloader.config('app', { mode: '2' });
  const { spec } = await reloader.rolledOut('web', 1);

  const last = spec.template.metadata?.annotations?.['reloader.stakater.com/last-reloaded-from'];
  expect(JSON.parse(last ?? '{}')).toMatchObject({ type: 'CONFIGMAP', hash: sha1('mode=2') });
  expect(reloader.rollouts('off')).toBe(0);
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
