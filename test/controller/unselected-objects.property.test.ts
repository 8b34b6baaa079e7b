/** Whatever happens to objects with a finalizer, in whatever order: none is gone too early, and none hangs. */
import {
  configMap,
  FakeClock,
  startOperator,
  startTestEnv,
  type TestOperator,
} from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { propertyRuns } from '../support/property-runs.ts';

const OURS = 'example.dev/cleanup';
const NAMES = ['a', 'b'] as const;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constantFrom('create', 'select', 'deselect', 'delete', 'free'),
      fc.constantFrom(...NAMES),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('restart', 'kill', 'wait'), fc.constant('')) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('stop'), fc.constant('')) },
);

test('[K-26] [child 9] every deleted object is finalized, and `gone` is called only without a finalizer', async () => {
  const clock = new FakeClock();
  await using env = await startTestEnv({ embedded: { clock, workloads: false }, environment: {} });

  const run = async (steps: readonly (readonly [string, string])[], isQuick: boolean) => {
    const namespace = await env.namespace();
    const wrong: string[] = [];
    const live = (name: string) => env.get<ConfigMap>('v1', 'ConfigMap', namespace, name);
    const cleaned = new Set<string>();
    const carrying = new Set<string>();
    const declared = controller<ConfigMap>({
      name: 'web',
      for: source(configMaps, { labelSelector: 'tier=web' }),
      finalizer: {
        name: OURS,
        finalize: ({ metadata: { uid = '', deletionTimestamp } }) => {
          if (deletionTimestamp === undefined) wrong.push('finalized and not deleted');
          cleaned.add(uid);
        },
      },
      reconcile: ({ metadata: { uid = '', labels } }) => {
        if (labels?.tier !== 'web') wrong.push('reconciled and not selected');
        carrying.add(uid);
      },
      gone: async (key, { client }) => {
        const [, name = ''] = key.split('/');
        const object = await client.find(configMaps, { namespace, name });
        const isSelected = object?.metadata.labels?.tier === 'web'; // it came back meanwhile
        if (object?.metadata.finalizers?.includes(OURS) && !isSelected)
          wrong.push('gone, and there');
      },
    }) as Controller;
    let operator: TestOperator | undefined;
    const start = () => {
      operator = startOperator({ url: env.url, namespace, clock, controllers: [declared] });
    };
    const freed = new Set<string>();
    const acts: Readonly<Record<string, (name: string) => Promise<unknown> | unknown>> = {
      create: (name) => env.create(configMap(name, { namespace, labels: { tier: 'web' } })),
      select: (name) =>
        env.patch('v1', 'ConfigMap', namespace, name, { metadata: { labels: { tier: 'web' } } }),
      deselect: (name) =>
        env.patch('v1', 'ConfigMap', namespace, name, { metadata: { labels: { tier: 'x' } } }),
      delete: (name) => env.delete('v1', 'ConfigMap', namespace, name),
      free: async (name) => {
        freed.add((await live(name))?.metadata.uid ?? '');
        await env.patch('v1', 'ConfigMap', namespace, name, { metadata: { finalizers: null } });
      },
      restart: async () => {
        await operator?.stop();
        start();
      },
      kill: async () => {
        await operator?.kill();
        start();
      },
      stop: () => operator?.stop(),
      wait: () => env.advance(60_000),
    };
    start();
    for (const [what, name] of steps) {
      await Promise.resolve(acts[what]?.(name)).catch(() => {}); // not there, or there already
      if (!isQuick) await env.settled();
    }
    await acts.restart?.('');
    await env.advance(10_000);
    for (const name of NAMES) await Promise.resolve(acts.delete?.(name)).catch(() => {});
    await env.advance(600_000);

    for (const name of NAMES) if (await live(name)) wrong.push(`${name} hangs`);
    for (const uid of carrying) {
      if (!cleaned.has(uid) && !freed.has(uid)) wrong.push('deleted without its cleanup');
    }
    await operator?.stop();
    expect(wrong).toEqual([]);
  };

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), fc.boolean(), run),
    propertyRuns(0.3),
  );
}, 300_000);
