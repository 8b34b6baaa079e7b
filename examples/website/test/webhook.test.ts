/** The budget of a namespace, which the API server asks the operator about. */
import { eventually, startTestEnv, type TestEnv } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, onTestFinished, test } from 'vitest';
import { websites } from '../definition.ts';
import { budget } from '../webhook.ts';

/** An API server that asks, and two of its namespaces. */
async function start(): Promise<{ env: TestEnv; namespace: string; other: string }> {
  const env = await startTestEnv({ backend: 'embedded', install: [websites], webhooks: [budget] });
  onTestFinished(() => env.stop());
  return { env, namespace: await env.namespace(), other: await env.namespace() };
}

function site(name: string, replicas: number): KubernetesObject {
  const spec = { image: 'nginx:1.29', replicas };
  return { apiVersion: 'example.dev/v1', kind: 'Website', metadata: { name }, ...{ spec } };
}

/** Why a Website is refused that would be created or changed so; undefined when it is not. */
async function refusal(
  env: TestEnv,
  namespace: string,
  [name, replicas]: readonly [name: string, replicas: number],
): Promise<string | undefined> {
  const path = `/apis/example.dev/v1/namespaces/${namespace}/websites/${name}`;
  const response = await fetch(`${env.url}${path}?fieldManager=test&force=true&dryRun=All`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(site(name, replicas)),
  });
  return response.ok ? undefined : ((await response.json()) as { message: string }).message;
}

/** Stores the Website `shop` without asking, and resolves when the operator has it in its cache. */
async function storeShop(env: TestEnv, namespace: string, replicas: number): Promise<void> {
  const shop = site('shop', replicas);
  env.server.create({ ...shop, metadata: { ...shop.metadata, namespace } });
  const known = `its other Websites have ${replicas}`;
  await eventually(async () => (await refusal(env, namespace, ['any', 100]))?.endsWith(known));
}

test('a Website beyond the budget of its namespace is refused, and a smaller Website is accepted', async () => {
  const { env, namespace, other } = await start();
  await storeShop(env, namespace, 15);

  const tooMany = await refusal(env, namespace, ['blog', 6]);
  const asManyAsFit = await refusal(env, namespace, ['blog', 5]);
  const elsewhere = await refusal(env, other, ['blog', 6]);

  expect(tooMany).toBe(
    'admission webhook "budget.websites.example.dev" denied the request: ' +
      'spec.replicas: the namespace may have 20 replicas, and its other Websites have 15',
  );
  expect([asManyAsFit, elsewhere]).toEqual([undefined, undefined]);
});

test('a Website that is enlarged is not counted twice against the budget', async () => {
  const { env, namespace } = await start();
  await storeShop(env, namespace, 15);

  expect(await refusal(env, namespace, ['shop', 20])).toBeUndefined();
  expect(await refusal(env, namespace, ['shop', 21])).toMatch(/its other Websites have 0$/);
});

test('in a namespace over its budget, a Website can be changed and reduced, but not enlarged', async () => {
  const { env, namespace } = await start();
  await storeShop(env, namespace, 40);

  expect(await refusal(env, namespace, ['shop', 40])).toBeUndefined();
  expect(await refusal(env, namespace, ['shop', 39])).toBeUndefined();
  expect(await refusal(env, namespace, ['shop', 41])).toMatch(/may have 20 replicas/);
});
