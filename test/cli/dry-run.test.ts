/** `chancery run --dry-run` against the embedded API server: what it sends, and what that changes. */

import type { ApiServer } from '@chancery/testing';
import { configMap, deployment, eventually, pod, secret } from '@chancery/testing';
import { expect, test } from 'vitest';
import { folderWith } from './child.ts';
import { Collector } from './collector.ts';
import { type Invocation, invoke } from './invocation.ts';
import { startServer } from './server.ts';

const namespace = 'demo';

/** The controller `shop` for Deployments, whose reconciler is `body`, with `options` besides. */
function moduleWith(body: string, options = ''): string {
  return `
import { controller } from 'chancery';
import {
  configMaps,
  deployments,
  pods,
  secrets,
  serviceAccounts,
  services,
} from 'chancery/kubernetes';

export default controller({
  name: 'shop',
  for: deployments,
  ${options}
  async reconcile(deployment, context) {
    const { applyOwned, client, event, setStatus } = context;
    const { namespace, name } = deployment.metadata;
    ${body}
  },
});`;
}

function dryRun(
  server: ApiServer,
  module: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Invocation {
  const folder = folderWith({ 'operator.ts': module });
  return invoke(['run', '--dry-run', ...flags, `${folder}/operator.ts`], {
    env: { CHANCERY_API_URL: server.url, WATCH_NAMESPACE: namespace, ...env },
  });
}

/** Lines of standard error that are no log. */
function told({ stderr }: Invocation): readonly string[] {
  return stderr.lines.filter((line) => !line.startsWith('{'));
}

/** A server with the Deployment `web` and what its controller writes to. */
async function shop(): Promise<ApiServer> {
  const server = await startServer();
  server.create(deployment('web', { namespace, replicas: 1 }));
  for (const name of ['settings', 'old']) {
    server.create(configMap(name, { namespace, data: { value: '1' } }));
  }
  server.create(pod('web-0', { namespace }));
  return server;
}

/** Every object with all that ever happened to it; a collection that nobody wrote to is none. */
function stored(server: ApiServer): unknown {
  const { revision, collections } = server.snapshot();
  const written = [...collections].filter(([, { events }]) => events.length > 0);
  return { revision, collections: new Map(written) };
}

/** What a run must leave as it is, and what it must not have sent. */
function watched(server: ApiServer): () => void {
  const before = stored(server);
  const sent = server.requests.length;
  return () => {
    const writes = server.requests.slice(sent).filter(({ method }) => method !== 'GET');
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.map(({ query }) => query.get('dryRun'))).toEqual(writes.map(() => 'All'));
    expect(stored(server)).toEqual(before);
  };
}

const EVERY_VERB = moduleWith(
  `
  await applyOwned(services, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
  await setStatus({ readyReplicas: 1, replicas: 1 });
  await client.create(serviceAccounts, {
    apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: '', generateName: 'sa-', namespace },
  });
  const settings = await client.get(configMaps, { namespace, name: 'settings' });
  await client.update(configMaps, { ...settings, data: { value: '2' } });
  await client.patch(configMaps, { namespace, name: 'settings' }, {
    type: 'merge', body: { metadata: { labels: { patched: 'yes' } } },
  });
  await client.delete(configMaps, { namespace, name: 'old' }, { propagationPolicy: 'Foreground' });
  await client.delete(configMaps, { namespace, name: 'old' });
  await client.evict({ namespace, name: 'web-0' });
  event('Normal', 'Checked', 'everything was looked at');
  `,
  `finalizer: { name: 'example.dev/shop', async finalize() {} },`,
);

test('a dry run sends and shows every write, and the API server stores none of them', async () => {
  const server = await shop();
  server.create(
    deployment('gone', { namespace, replicas: 1, finalizers: ['example.dev/shop', 'other/one'] }),
  );
  server.delete('apps/v1', 'Deployment', namespace, 'gone');
  const expectUntouched = watched(server);

  const run = dryRun(server, EVERY_VERB);

  expect(await run.exit).toBe(0);
  expectUntouched();
  expect(headings(run)).toEqual([
    '# patch deployments.apps demo/gone by shop',
    '# patch deployments.apps demo/web by shop',
    '# create services demo/web by shop',
    '# apply deployments.apps/status demo/web by shop',
    '# create serviceaccounts demo/sa-* by shop',
    '# update configmaps demo/settings by shop',
    '# patch configmaps demo/settings by shop',
    '# delete configmaps demo/old by shop',
    '# delete configmaps demo/old by shop',
    '# evict pods demo/web-0 by shop',
    '# event: Normal Checked Deployment demo/web: everything was looked at',
  ]);
  expect(told(run)).toEqual([
    'dry run: 10 writes to 7 objects in 1 controller; nothing was written',
  ]);
});

test('a dry run shows a change as a YAML diff, including defaults of the API server', async () => {
  const server = await shop();
  const body = `
    await client.patch(configMaps, { namespace, name: 'settings' }, {
      type: 'merge', body: { data: { value: '2', more: 'yes' } },
    });
    await client.apply(services, {
      apiVersion: 'v1', kind: 'Service', metadata: { name, namespace },
      spec: { clusterIP: 'None', ports: [{ port: 80 }] },
    });`;

  const run = dryRun(server, moduleWith(body));

  expect(await run.exit).toBe(0);
  expect(run.stdout.lines.slice(0, 11)).toEqual([
    '# patch configmaps demo/settings by shop',
    '--- configmaps demo/settings',
    '+++ configmaps demo/settings',
    '@@ -5,4 +5,5 @@',
    '   namespace: demo',
    expect.stringMatching(/^ {3}uid: /),
    ' data:',
    '-  value: "1"',
    '+  more: "yes"',
    '+  value: "2"',
    '# apply services demo/web by shop',
  ]);
  expect(run.stdout.lines.slice(11, 13)).toEqual(['--- /dev/null', '+++ services demo/web']);
  expect(run.stdout.lines).toContain('+    - protocol: TCP');
});

test('a dry run shows a delete with its preconditions, and the finalizers that would delay it', async () => {
  const server = await shop();
  server.create(configMap('held', { namespace, finalizers: ['example.dev/a'] }));
  const body = `
    const preconditions = { uid: (await client.get(configMaps, { namespace, name: 'held' })).metadata.uid };
    await client.delete(configMaps, { namespace, name: 'held' }, { preconditions });`;

  const run = dryRun(server, moduleWith(body));

  expect(await run.exit).toBe(0);
  expect(run.stdout.lines.slice(0, 5)).toEqual([
    '# delete configmaps demo/held by shop',
    expect.stringMatching(/^# with \{"preconditions":\{"uid":"[-0-9a-f]{36}"\}\}$/),
    '# stays until its finalizers are removed: example.dev/a',
    '--- configmaps demo/held',
    '+++ /dev/null',
  ]);
});

test('a dry run never shows a value of a Secret', async () => {
  const server = await shop();
  const data = { password: base64('hunter2'), user: base64('shop') };
  server.create(secret('login', { namespace, data }));
  const body = `
    const whole = JSON.stringify({ kind: 'Secret', data: { password: 'aHVudGVyMw==' } });
    await client.patch(secrets, { namespace, name: 'login' }, { type: 'merge', body: {
      metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': whole } },
      stringData: { password: 'hunter3', token: 'hunter4' },
    } });
    await client.patch(configMaps, { namespace, name: 'settings' }, { type: 'merge', body: {
      metadata: { annotations: { backup: whole } },
    } });`;

  const run = dryRun(server, moduleWith(body));

  expect(await run.exit).toBe(0);
  const text = run.stdout.lines.join('\n');
  expect(text).toContain('-  password: "*** (7 bytes)"\n+  password: "*** (7 bytes, changed)"');
  expect(text).toContain('+  token: "*** (7 bytes)"');
  expect(text).toContain('   user: "*** (4 bytes)"');
  expect(text).toContain('+    backup: "*** (52 bytes)"');
  expect(text).not.toMatch(/hunter|aHVudGVy/);
});

test('a dry run omits a write without an effect, and shows a repeated write once', async () => {
  const server = await shop();
  server.create(deployment('second', { namespace, replicas: 1 }));
  const body = `
    const target = { namespace, name: 'settings' };
    await client.patch(configMaps, target, { type: 'merge', body: { data: { value: '1' } } });
    const annotations = { at: new Date().toISOString() };
    await client.patch(configMaps, target, { type: 'merge', body: { metadata: { annotations } } });`;

  const run = dryRun(server, moduleWith(body));

  expect(await run.exit).toBe(0);
  expect(headings(run)).toEqual(['# patch configmaps demo/settings by shop']);
  expect(told(run)).toEqual(['dry run: 1 write to 1 object in 1 controller; nothing was written']);
});

test('a dry run shows a refused write, passes the refusal to the reconciler, and still exits with 0', async () => {
  const server = await shop();
  const body = `
    await client.patch(deployments, { namespace, name }, { type: 'merge', body: { spec: { replicas: -1 } } });
    await client.delete(configMaps, { namespace, name: 'settings' });`;

  const run = dryRun(server, moduleWith(body));

  expect(await run.exit).toBe(0);
  expect(run.stdout.lines).toEqual([
    expect.stringMatching(
      /^# refused: patch deployments\.apps demo\/web by shop: .*spec\.replicas: Invalid value \(not shown\): must be greater/,
    ),
  ]);
  expect(told(run)).toEqual([
    'dry run: 0 writes to 0 objects in 1 controller, 1 refused write; nothing was written',
  ]);
});

test('if a reconcile fails for any reason except a refusal, the dry run fails after the other reconciles', async () => {
  const server = await shop();
  server.create(deployment('broken', { namespace, replicas: 1 }));
  const body = `
    if (name === 'broken') throw new Error('no idea');
    await client.delete(configMaps, { namespace, name: 'old' });`;

  const run = dryRun(server, moduleWith(body));

  expect(await run.exit).toBe(1);
  expect(headings(run)).toEqual(['# delete configmaps demo/old by shop']);
});

test('a dry run reconciles each object once, even if the reconciler creates objects or requeues', async () => {
  const server = await shop();
  const body = `
    const created = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made', namespace } };
    if ((await client.find(configMaps, created.metadata)) === undefined) {
      await client.create(configMaps, created);
      return { requeueAfterMs: 0 };
    }
    return { requeueAfterMs: 3_600_000 };`;

  const run = dryRun(server, moduleWith(body));

  expect(await run.exit).toBe(0);
  expect(headings(run)).toEqual(['# create configmaps demo/made by shop']);
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  expect(told(run)).toEqual([
    'dry run: 1 of the reconciles ask for another one later: see --follow',
    'dry run: 1 write to 1 object in 1 controller; nothing was written',
  ]);
});

test.each([
  ['a terminal', true, {}, true],
  ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['a file', false, {}, false],
])('when the output is %s, a dry run prints colours: %s', async (_, isTTY, env, expected) => {
  const server = await shop();
  const folder = folderWith({
    'operator.ts': moduleWith(`await client.delete(configMaps, { namespace, name: 'old' });`),
  });
  const stdout = Object.assign(new Collector(), { isTTY });

  const { exit } = invoke(['run', '--dry-run', `${folder}/operator.ts`], {
    env: { CHANCERY_API_URL: server.url, WATCH_NAMESPACE: namespace, ...env },
    stdout,
  });

  expect(await exit).toBe(0);
  expect(stdout.lines.length).toBeGreaterThan(1);
  expect(stdout.lines.join('').includes('\u001b[')).toBe(expected);
});

test('a dry run reconciles every object of the first list, even if the list is long', async () => {
  const server = await startServer();
  for (let at = 0; at < 1_200; at++) server.create(configMap(`item-${at}`, { namespace }));
  const module = `
    import { controller } from 'chancery';
    import { configMaps } from 'chancery/kubernetes';
    export default controller({
      name: 'items',
      for: configMaps,
      async reconcile({ metadata: { namespace, name } }, { client }) {
        if (!name.endsWith('99')) return;
        await client.delete(configMaps, { namespace, name });
      },
    });`;

  const run = dryRun(server, module);

  expect(await run.exit).toBe(0);
  expect(told(run)).toEqual([
    'dry run: 12 writes to 12 objects in 1 controller; nothing was written',
  ]);
});

test('with `--follow`, a dry run also reconciles later changes, until it is stopped', async () => {
  const server = await shop();
  const body = `
    const { resourceVersion = '' } = deployment.metadata;
    await client.patch(configMaps, { namespace, name: 'settings' }, {
      type: 'merge', body: { data: { seen: resourceVersion } },
    });`;

  const run = dryRun(server, moduleWith(body), ['--follow']);
  await eventually(() => headings(run).length === 1);
  server.patch('apps/v1', 'Deployment', namespace, 'web', { metadata: { labels: { a: 'b' } } });
  await eventually(() => headings(run).length === 2);
  run.stop();

  expect(await run.exit).toBe(0);
  expect(told(run)).toEqual(['dry run: 2 writes to 1 object in 1 controller; nothing was written']);
});

test.each([
  ['CHANCERY_LEADER_ELECTION', 'true', 'takes no part in the election of a leader'],
  ['CHANCERY_SHARDS', '16', 'takes no Lease, and works on the keys of all replicas'],
])('with %s=%s, a dry run takes no Lease, and says so', async (name, value, says) => {
  const server = await shop();

  const run = dryRun(server, moduleWith(''), [], {
    [name]: value,
    POD_NAMESPACE: namespace,
    POD_NAME: 'shop-0',
  });

  expect(await run.exit).toBe(0);
  expect(told(run)[0]).toBe(`dry run: ${says}`);
  expect(server.requests.filter(({ path }) => path.includes('/leases'))).toEqual([]);
});

test('a dry run does not start runnables', async () => {
  const server = await shop();
  const module = `
    import { runnable } from 'chancery';
    export default runnable({ name: 'writer', run: async () => { throw new Error('started'); } });`;

  const run = dryRun(server, module);

  expect(await run.exit).toBe(0);
  expect(told(run)).toEqual([
    'dry run: writer is not started',
    'dry run: 0 writes to 0 objects in 0 controllers; nothing was written',
  ]);
});

test('a dry run does not send requests for which the API has no dry run, such as `exec`', async () => {
  const server = await shop();
  const body = `
    const options = { apiVersion: 'v1', kind: 'PodExecOptions', metadata: { name: 'web-0', namespace } };
    await client.create(pods, options, { subresource: 'exec' });`;

  const run = dryRun(server, moduleWith(body));

  expect(await run.exit).toBe(1);
  expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test.each([
  [['--follow'], '--follow is for --dry-run; got no --dry-run'],
  [['--check', '--dry-run'], 'expected --check or --dry-run; got both'],
])('`run --dry-run` refuses %j', async (flags, message) => {
  const { exit, stderr } = invoke(['run', ...flags, 'operator.ts']);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([`chancery run: ${message}`]);
});

function headings({ stdout }: Invocation): readonly string[] {
  return stdout.lines.filter((line) => /^# (?!with|stays)/.test(line));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
