/** An environment on the embedded server; `backends.tools.test.ts` has the other backends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { KubernetesObject } from 'chancery';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TestBackend } from '../../src/env/choose-backend.ts';
import { startTestEnv, type TestEnvOptions } from '../../src/env/start-test-env.ts';
import type { TestEnv } from '../../src/env/test-env.ts';
import { configMap } from '../../src/objects/config.ts';
import { deployment } from '../../src/objects/workloads.ts';
import { eventually } from '../../src/time/eventually.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';
import { standInAssets } from '../control-plane/assets.ts';
import { EMBEDDED, kubebuilder, surroundings } from './support/backends.ts';
import { describeBackends } from './support/same-on-all.ts';

async function start(options: TestEnvOptions): Promise<TestEnv> {
  const env = await startTestEnv(options);
  onTestFinished(() => env.stop());
  return env;
}

describe('[T-4] a test environment', () => describeBackends([EMBEDDED]));

describe('workloads in an environment, and the end of an environment', { timeout: 60_000 }, () => {
  test.each([
    [undefined, 2],
    [false as const, 0],
  ])('[F-14] with workloads %j, a Deployment of the embedded server gets %d Pods', async (workloads, count) => {
    const embedded = workloads === undefined ? {} : { workloads };
    const env = await start({ environment: {}, embedded });
    const namespace = await env.namespace();

    await env.create(deployment('web', { namespace, replicas: 2 }));

    expect(env.runsWorkloads).toBe(count > 0);
    const pods = async (): Promise<number> => (await env.list('v1', 'Pod', namespace)).length;
    await eventually(async () => (await pods()) === count);
  });

  test('an environment stops at the end of `await using`', async () => {
    let url: string;
    {
      await using env = await startTestEnv({ environment: {} });
      url = env.url;
      await env.namespace();
    }

    await expect(fetch(url)).rejects.toThrow();
  });
});

test('[real R-6] env.supports reports the features of an environment', async () => {
  const plain = await start({ environment: {} });
  const clocked = await start({ environment: {}, embedded: { clock: new FakeClock(0) } });
  const features = ['clock', 'events', 'requests', 'server'] as const;

  expect(features.map((what) => plain.supports(what))).toEqual([false, true, true, true]);
  expect(features.map((what) => clocked.supports(what))).toEqual([true, true, true, true]);
});

test('[real R-6] `eventually` does not repeat a probe that throws a ConfigurationError', async () => {
  const env = await start({ environment: {} });
  let asked = 0;

  const waiting = eventually(async () => {
    asked += 1;
    await env.advance(1);
    return true;
  });

  await expect(waiting).rejects.toMatchObject({ code: 'CONFIG' });
  expect(asked).toBe(1);
});

describe('the choice of a backend', () => {
  test.each<[Record<string, string>, TestBackend]>([
    [{}, 'embedded'],
    [{ KUBEBUILDER_ASSETS: '/x' }, 'embedded'],
    [{ USE_EXISTING_CLUSTER: 'false' }, 'embedded'],
    [{ CHANCERY_TEST_ENV: 'embedded', USE_EXISTING_CLUSTER: 'true' }, 'embedded'],
  ])('the environment variables %j select the backend %s', async (environment, expected) => {
    const env = await start({ environment });

    expect(env.backend).toBe(expected);
  });

  test.each([
    [
      { CHANCERY_TEST_ENV: 'real' },
      'CHANCERY_TEST_ENV must be embedded, kubebuilder, existing, not "real"',
    ],
    [{ USE_EXISTING_CLUSTER: 'yes' }, 'USE_EXISTING_CLUSTER must be true or false, not "yes"'],
    [
      { CHANCERY_TEST_ENV: 'kubebuilder', KUBEBUILDER_ASSETS: '/dev/null' },
      'there is no program /dev/null/etcd: set KUBEBUILDER_ASSETS to the directory that setup-envtest prints, or TEST_ASSET_ETCD to the program',
    ],
    [
      { CHANCERY_TEST_ENV: 'existing' },
      'no kubectl found, through which a real API server is reached: install it or set KUBECTL',
    ],
  ])('the environment variables %j are refused', async (environment, message) => {
    await expect(startTestEnv({ environment })).rejects.toMatchObject({ code: 'CONFIG', message });
  });

  test.each(['20', 'soon', '1d'])('the start timeout %j is refused', async (text) => {
    const environment = {
      ...(await surroundings(kubebuilder)),
      KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: text,
    };

    await expect(startTestEnv({ backend: 'kubebuilder', environment })).rejects.toThrow(
      `KUBEBUILDER_CONTROLPLANE_START_TIMEOUT must be a duration such as 20s or 1m30s, not "${text}"`,
    );
  });

  test('the start timeout is a duration in the notation of Go', async () => {
    const assets = standInAssets({ etcd: 'setInterval(() => {}, 1000);' });
    const environment = {
      PATH: process.env.PATH,
      KUBEBUILDER_ASSETS: assets,
      KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '0.1s50ms',
    };

    await expect(startTestEnv({ backend: 'kubebuilder', environment })).rejects.toThrow(
      'etcd is not ready after 150 ms',
    );
  });
});

describe('manifests for env.apply', () => {
  test('env.apply applies files, folders and Lists, in the order of file names', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chancery-manifests-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const list = { apiVersion: 'v1', kind: 'List', items: [configMap('c'), configMap('d')] };
    writeFileSync(join(folder, 'b.json'), JSON.stringify(list));
    writeFileSync(
      join(folder, 'a.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n',
    );
    writeFileSync(join(folder, 'c.txt'), 'no manifest');
    const env = await start({ environment: {} });
    const namespace = await env.namespace();

    const applied = await env.apply(pathToFileURL(`${folder}/`), { namespace });
    const again = await env.apply(pathToFileURL(join(folder, 'b.json')), { namespace });

    expect(applied.map(({ metadata }) => metadata.name)).toEqual(['a', 'c', 'd']);
    expect(again.map(({ metadata }) => metadata.name)).toEqual(['c', 'd']);
  });

  test('each env.apply of an object with only a generateName creates a new object', async () => {
    const env = await start({ environment: {} });
    const namespace = await env.namespace();
    const metadata = { generateName: 'a-' } as KubernetesObject['metadata'];

    await env.apply({ apiVersion: 'v1', kind: 'Secret', metadata }, { namespace });
    await env.apply({ apiVersion: 'v1', kind: 'Secret', metadata }, { namespace });

    expect(await env.list('v1', 'Secret', namespace)).toHaveLength(2);
  });

  test.each([
    [
      'an object without a namespace',
      [configMap('a')],
      'ConfigMap a names no namespace: apply it with one',
    ],
    [
      'an unknown kind',
      'apiVersion: v1\nkind: Thing\nmetadata: { name: a }',
      'the API server does not serve Thing of v1',
    ],
    ['a document without a kind', 'a: 1', 'the manifest has a document without a kind'],
  ])('env.apply refuses %s', async (_what, manifest, message) => {
    const env = await start({ environment: {} });

    await expect(env.apply(manifest)).rejects.toMatchObject({ code: 'USER_CODE', message });
  });
});

describe('logs of the embedded server', () => {
  test('[T-4] the event log has the history of each object', async () => {
    const env = await start({ environment: {}, embedded: { workloads: false } });
    const namespace = await env.namespace();

    await env.create(configMap('a', { namespace, data: { k: '1' } }));
    await env.patch('v1', 'ConfigMap', namespace, 'a', { data: { k: '2' } });
    await env.delete('v1', 'ConfigMap', namespace, 'a');
    await env.create(configMap('b', { namespace }));

    const events = env.events.of({ resource: 'configmaps', namespace });
    expect(events.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'ADDED a',
      'MODIFIED a',
      'DELETED a',
      'ADDED b',
    ]);
    expect(env.events.history('configmaps', namespace, 'a')).toMatchObject([
      { data: { k: '1' } },
      { data: { k: '2' } },
      { data: { k: '2' } },
    ]);
    expect(env.events.of({ namespace, type: 'DELETED' })).toHaveLength(1);
    await env.create({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'a', namespace },
    });
    for (const resource of ['leases', 'leases.coordination.k8s.io']) {
      expect(env.events.of({ namespace, resource })).toHaveLength(1);
    }
  });

  test('[T-4] the request log contains RBAC verbs and resources, and omits requests of the test itself', async () => {
    const env = await start({ environment: {} });
    const namespace = await env.namespace();
    const base = `${env.url}/apis/apps/v1/namespaces/${namespace}/deployments`;
    const stop = new AbortController();
    await fetch(base);
    await fetch(`${base}?watch=true&resourceVersion=0`, { signal: stop.signal });
    stop.abort();
    await fetch(`${base}/a/status`, {
      method: 'PATCH',
      headers: { 'user-agent': 'me' },
      body: '{}',
    });
    await fetch(base, { method: 'DELETE' });
    await fetch(`${env.url}/version`);

    expect(
      env.requests
        .of()
        .map(({ verb, resource, subresource = '' }) => [verb, resource, subresource]),
    ).toEqual([
      ['list', 'deployments.apps', ''],
      ['watch', 'deployments.apps', ''],
      ['patch', 'deployments.apps', 'status'],
      ['deletecollection', 'deployments.apps', ''],
      ['get', '', ''],
    ]);
    expect(env.requests.of({ userAgent: 'me' })).toMatchObject([{ namespace, name: 'a' }]);
    for (const resource of ['deployments.apps', 'deployments']) {
      expect(env.requests.count({ verb: 'watch', resource })).toBe(1);
    }
    for (const resource of ['deployment', 'apps', 'deployments.app']) {
      expect(env.requests.count({ resource })).toBe(0);
    }
    expect(env.requests.of({ verb: 'watch' })[0]?.query).toEqual({
      watch: 'true',
      resourceVersion: '0',
    });
  });

  test('with TLS, the test needs no credentials, and the request log contains the user', async () => {
    const embedded = { tls: {}, workloads: false, authorization: 'RBAC' } as const;
    const env = await start({ environment: {}, embedded });
    const namespace = await env.namespace();
    const operator = await env.server.urlFor('jane');

    await env.create(configMap('a', { namespace }));
    const { status } = await fetch(`${operator}/api/v1/namespaces/${namespace}/configmaps`);

    expect(env.server.url).toMatch(/^https:/);
    expect(env.url).toMatch(/^http:/);
    expect(status).toBe(403);
    expect(env.requests.of({ user: 'jane' })).toMatchObject([
      { verb: 'list', resource: 'configmaps' },
    ]);
  });
});

describe('time in a test environment', () => {
  test('[T-2] [F-14] the clock can be advanced by an hour at once, and a Pod becomes ready exactly at its time', async () => {
    const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
    const env = await start({
      environment: {},
      embedded: { clock, workloads: { podReadyMs: 3_600_000 } },
    });
    const namespace = await env.namespace();
    await env.create(deployment('web', { namespace }));
    const ready = async (): Promise<unknown> =>
      (
        await env.get<KubernetesObject & { status?: { readyReplicas?: number } }>(
          'apps/v1',
          'Deployment',
          namespace,
          'web',
        )
      )?.status?.readyReplicas;

    await env.advance(3_599_000);
    const before = await ready();
    await env.advance(2_000);

    expect(before).toBeUndefined();
    expect(await ready()).toBe(1);
    expect(clock.now()).toBe(Date.parse('2030-01-01T01:00:01Z'));
  });

  test('an environment that never settles causes an error, and not an endless wait', async () => {
    const clock = new FakeClock();
    const env = await start({ environment: {}, embedded: { clock } });
    let on = true;
    const spin = (): void => {
      clock.schedule(1, () => {})();
      if (on) setImmediate(spin);
    };
    spin();
    onTestFinished(() => {
      on = false;
    });

    await expect(env.settled()).rejects.toThrow('does not come to rest');
  });
});
