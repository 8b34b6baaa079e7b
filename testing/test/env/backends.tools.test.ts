/**
 * Backends that are reached through a real kubectl: a control plane of its own, and a cluster that exists.
 *
 * @module-tag kubectl
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestEnv, type TestEnvOptions } from '../../src/env/start-test-env.ts';
import type { TestEnv } from '../../src/env/test-env.ts';
import { secret } from '../../src/objects/config.ts';
import { eventually } from '../../src/time/eventually.ts';
import { processesWith, standInAssets } from '../control-plane/assets.ts';
import { BACKENDS, kubebuilder, startCluster, surroundings } from './support/backends.ts';
import { CRD, describeBackends } from './support/same-on-all.ts';

async function start(options: TestEnvOptions): Promise<TestEnv> {
  const env = await startTestEnv(options);
  onTestFinished(() => env.stop());
  return env;
}

describeBackends(BACKENDS);

test('with USE_EXISTING_CLUSTER, an environment uses the context from its options', async () => {
  const environment = { ...(await surroundings(startCluster)), USE_EXISTING_CLUSTER: 'true' };
  const env = await start({ environment, context: 'chancery' });

  expect(env.backend).toBe('existing');
  await expect(startTestEnv({ environment, context: 'other' })).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('context "other" does not exist'),
  });
});

test('a started control plane has the requested feature gates', async () => {
  const environment = await surroundings(kubebuilder);
  const half = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
  const path = `/api/v1/nodes?shardSelector=${encodeURIComponent(half)}`;
  const shardInfoWith = async (ShardedListAndWatch: boolean): Promise<unknown> => {
    const featureGates = { ShardedListAndWatch };
    const env = await start({ backend: 'kubebuilder', environment, featureGates });
    const list = await (await fetch(env.url + path)).json();
    return (list as { readonly metadata: { readonly shardInfo?: unknown } }).metadata.shardInfo;
  };

  expect(await shardInfoWith(true)).toEqual({ selector: half });
  expect(await shardInfoWith(false)).toBeUndefined();
}, 60_000);

describe('differences between backends', { timeout: 60_000 }, () => {
  test('other backends refuse a feature of the embedded server, and the error contains the feature', async () => {
    const environment = await surroundings(kubebuilder);
    const env = await start({ backend: 'kubebuilder', environment });

    const messages = [() => env.events, () => env.requests, () => env.server].map(thrownBy);

    expect(messages).toEqual([
      'the backend kubebuilder has no event log: only the embedded server has',
      'the backend kubebuilder has no request log: only the embedded server has',
      'the backend kubebuilder has no server in this process: only the embedded server has',
    ]);
    expect(env.runsWorkloads).toBe(false);
    expect(env.supports('events') || env.supports('server') || env.supports('clock')).toBe(false);
    await expect(env.advance(1)).rejects.toThrow('time can be moved on a FakeClock alone');
  });

  test('a stopped environment leaves no control plane and no ambassador running', async () => {
    const assets = standInAssets();
    const environment = { PATH: process.env.PATH, KUBEBUILDER_ASSETS: assets };
    const env = await start({ backend: 'kubebuilder', environment });
    const running = processesWith(assets).length;
    const { url } = await env.ambassador();

    await env.stop();

    expect(running).toBe(2);
    expect(processesWith(assets)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('an environment in an existing cluster deletes what it created, and nothing else', async () => {
    const environment = await surroundings(startCluster);
    const options: TestEnvOptions = { backend: 'existing', environment };
    const witness = await start(options);
    await witness.create(secret('theirs', { namespace: 'default' }));
    const env = await startTestEnv(options);
    const namespace = await env.namespace();
    await env.apply(CRD, { namespace });
    await env.create(secret('ours', { namespace: 'default' }));
    await env.apply([secret('theirs', { stringData: { k: '1' } })], { namespace: 'default' });

    await env.stop();

    const left = await witness.list('v1', 'Secret', 'default');
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['theirs']);
    expect(await witness.list('apiextensions.k8s.io/v1', 'CustomResourceDefinition')).toEqual([]);
    await eventually(
      async () => (await witness.get('v1', 'Namespace', undefined, namespace)) === undefined,
    );
  });
});

function thrownBy(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing';
}
