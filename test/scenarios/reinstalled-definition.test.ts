/** An operator for things outside of the cluster, while the version that it reads is not served. */
import { FakeClock, startOperator, startTestEnv } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { isNotFound } from '../../operator/model/not-found.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';

const FINALIZER = 'bucket.example/outside';
const buckets = defineResource({
  group: 'bucket.example',
  version: 'v1',
  plural: 'buckets',
  kind: 'Bucket',
  namespaced: true,
});

function definition(isServed: boolean): KubernetesObject {
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'buckets.bucket.example' },
    spec: {
      group: 'bucket.example',
      scope: 'Namespaced',
      names: { plural: 'buckets', singular: 'bucket', kind: 'Bucket' },
      versions: [
        { name: 'v1', served: isServed, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
    },
  } as KubernetesObject;
}

type Finalize = () => Promise<void>;

async function startBuckets(generation: '1.33' | '1.38', finalize: Finalize = async () => {}) {
  const clock = new FakeClock();
  const env = await startTestEnv({
    environment: {},
    embedded: { workloads: false, clock, generation },
  });
  onTestFinished(() => env.stop());
  await env.apply([definition(true)]);
  const namespace = await env.namespace();
  const outside: string[] = [];
  let attempts = 0;
  const declared = controller({
    name: 'buckets',
    for: buckets,
    finalizer: {
      name: FINALIZER,
      async finalize({ metadata: { name } }: KubernetesObject) {
        await finalize();
        outside.push(`destroy ${name}`);
      },
    },
    async reconcile(object, { client }: ReconcileContext) {
      attempts++;
      const { name } = object.metadata;
      const found = await client.find(buckets, { namespace, name });
      if (found === undefined) outside.push(`destroy ${name}`);
      try {
        await client.get(buckets, { namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        outside.push(`destroy ${name}`);
      }
      if (outside.length === 0) outside.push(`create ${name}`);
      return { requeueAfterMs: 10_000 };
    },
    gone() {
      outside.push('destroy unseen');
    },
  });
  const operator = startOperator({ url: env.url, namespace, clock, controllers: [declared] });
  onTestFinished(() => operator.stop());
  await env.advance(5_000);
  await env.create({
    ...{ apiVersion: 'bucket.example/v1', kind: 'Bucket' },
    metadata: { name: 'backups', namespace },
  });
  await env.advance(5_000);
  const isThere = async (): Promise<boolean> =>
    (await env.get('bucket.example/v2', 'Bucket', namespace, 'backups')) !== undefined;
  const serve = (isServed: boolean) => env.apply([definition(isServed)]);
  return { env, namespace, outside, serve, isThere, attempts: () => attempts };
}

describe.each([
  '1.33',
  '1.38',
] as const)('[found 1] [K-48] while a server of %s does not serve the resource', (generation) => {
  test('no external resource is deleted while the resource is unserved, and work continues when it is served again', async () => {
    const { env, outside, serve, attempts } = await startBuckets(generation);

    await serve(false);
    const before = attempts();
    await env.advance(120_000);
    const during = attempts();
    await serve(true);
    await env.advance(300_000);

    expect(during).toBeGreaterThan(before);
    expect(attempts()).toBeGreaterThan(during);
    expect(outside).toEqual(['create backups']);
  });

  test('a finalizer that could not be removed is removed when the resource is served again', async () => {
    const { promise: unserved, resolve } = Promise.withResolvers<void>();
    const { env, namespace, serve, isThere } = await startBuckets(generation, () => unserved);
    await env.delete('bucket.example/v1', 'Bucket', namespace, 'backups');
    await env.advance(1_000);

    await serve(false);
    resolve();
    await env.advance(60_000);
    const during = await isThere();
    await serve(true);
    await env.advance(600_000);

    expect([during, await isThere()]).toEqual([true, false]);
  });
});
