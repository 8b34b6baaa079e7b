/** Objects that carry the finalizer of a controller and that its source no longer selects. */
import {
  configMap,
  FakeClock,
  type LoggedRequest,
  startOperator,
  startTestEnv,
} from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { composite } from '../../operator/composite/composite.ts';
import { engine } from '../../operator/composite/engine.ts';
import { applyWriter } from '../../operator/controller/children/apply-writer.ts';
import {
  type Controller,
  type ControllerOptions,
  controller,
} from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps, pods } from '../../operator/model/builtin.ts';
import { secrets } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';

const OURS = 'example.dev/cleanup';
const SELECTOR = 'tier in (web,edge),!frozen';
const labels = { tier: 'edge' };
const selected = source(configMaps, { labelSelector: SELECTOR });

type Start = Partial<Parameters<typeof startOperator>[0]>;

async function place() {
  const clock = new FakeClock();
  const env = await startTestEnv({ embedded: { clock, workloads: false }, environment: {} });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const operate = async (declared: Controller, more: Start = {}) => {
    const own = { url: env.url, namespace, clock, controllers: [declared] };
    const operator = startOperator({ ...own, ...more });
    onTestFinished(() => operator.kill());
    await env.advance(5_000);
    return operator;
  };
  return {
    clock,
    env,
    namespace,
    operate,
    create: async (name: string, more: object = {}) => {
      await env.create(configMap(name, { namespace, labels, ...more }));
      await env.settled();
    },
    label: async (name: string, changed: object) => {
      await env.patch('v1', 'ConfigMap', namespace, name, { metadata: { labels: changed } });
      await env.settled();
    },
    remove: async (name: string) => {
      await env.delete('v1', 'ConfigMap', namespace, name);
      await env.settled();
    },
    live: (name: string) => env.get<ConfigMap>('v1', 'ConfigMap', namespace, name),
    told: async () =>
      (await env.list<KubernetesObject & { reason?: string }>('events.k8s.io/v1', 'Event')).filter(
        ({ reason }) => reason === 'LeftSelector',
      ),
    requests: () => env.requests.of({ resource: 'configmaps' }),
  };
}

/** What a controller was called for. */
function diary(more: Partial<ControllerOptions<ConfigMap>> = {}) {
  const calls: string[] = [];
  const declared = controller<ConfigMap>({
    name: 'web',
    for: selected,
    finalizer: {
      name: OURS,
      finalize: ({ metadata }) => {
        calls.push(`finalize ${metadata.name} ${metadata.deletionTimestamp !== undefined}`);
      },
    },
    reconcile: ({ metadata }) => {
      calls.push(`reconcile ${metadata.name}`);
    },
    gone: (key) => {
      calls.push(`gone ${key.split('/')[1]}`);
    },
    ...more,
  }) as Controller;
  return { calls, declared };
}

/** A page of all objects. Other lists are those of sources and of watches. */
const isSweep = ({ verb, query }: LoggedRequest): boolean =>
  verb === 'list' && query.fieldSelector === undefined && query.labelSelector === undefined;

/** Drops the calls so far. */
const since = (calls: string[]): void => void calls.splice(0);

describe('[K-26] [child 9] finalizing objects that leave the label selector', () => {
  test.each<[string, Partial<ControllerOptions<ConfigMap>>]>([
    ['of a controller', {}],
    ['of a controller whose predicate drops every change', { predicate: () => false }],
    [
      'of a controller that caches only metadata',
      { for: source(configMaps, { labelSelector: SELECTOR, metadataOnly: true }) },
    ],
    [
      'of a controller for all namespaces',
      { for: source(configMaps, { labelSelector: SELECTOR, namespace: 'all' }) },
    ],
  ])('an object %s that left the selector is finalized when it is deleted', async (_what, more) => {
    const { create, env, label, live, operate, remove } = await place();
    const { calls, declared } = diary(more);
    await create('a', { finalizers: [OURS] });
    await operate(declared);

    await label('a', { tier: 'batch' });
    since(calls);
    await env.advance(3_600_000);
    const before = [...calls];
    await remove('a');

    expect(before).toEqual([]);
    expect(await live('a')).toBeUndefined();
    expect(calls).toEqual(['finalize a true', 'gone a']);
  });

  test('a parent that left the selector of its composite is finalized when it is deleted', async () => {
    const { create, label, live, operate, remove } = await place();
    const finalized: string[] = [];
    await create('a');
    await operate(
      composite<ConfigMap>({
        name: 'web',
        parent: selected,
        children: [secrets as Resource],
        sync: () => ({ children: [] }),
        finalize: {
          name: OURS,
          sync: ({ metadata }) => {
            finalized.push(metadata.name);
            return { children: [], finalized: true };
          },
        },
      }) as unknown as Controller,
    );

    await label('a', { frozen: 'yes' });
    await remove('a');

    expect(finalized).toEqual(['a']);
    expect(await live('a')).toBeUndefined();
  });

  test('an object that left the selector is reported once, and not read again before it is deleted', async () => {
    const { create, env, label, operate, requests, told, namespace } = await place();
    const { declared } = diary();
    await create('a');
    const operator = await operate(declared);

    await label('a', { tier: null });
    const known = requests().length;
    await env.advance(3_000_000);
    const later = requests().slice(known);

    const lines = operator.log.filter(({ message }) => message.includes('left the selector'));
    expect(lines.map(({ level, fields }) => ({ level, ...fields }))).toMatchObject([
      { level: 'warn', key: `${namespace}/a`, finalizer: OURS, selector: SELECTOR },
    ]);
    expect(await told()).toMatchObject([
      {
        type: 'Warning',
        regarding: { kind: 'ConfigMap', name: 'a' },
        note: `no longer matches ${SELECTOR}, the selector of controller web, and carries its finalizer ${OURS}: nothing reconciles it, and its cleanup waits until it is deleted`,
      },
    ]);
    expect(later.filter(({ verb }) => verb === 'get')).toEqual([]);
    expect(later.filter(isSweep)).toEqual([]);
  });

  test('when an object matches the selector again, the object is reconciled, and its separate watch ends', async () => {
    const { create, env, label, operate, told } = await place();
    const { calls, declared } = diary();
    await create('a');
    const operator = await operate(declared);
    const watches = env.server.openWatches;

    await label('a', { tier: 'batch' });
    const away = env.server.openWatches;
    const count = operator.meter.value('chancery_unselected_finalizers', { controller: 'web' });
    since(calls);
    await label('a', { tier: 'web' });

    expect([away - watches, count]).toEqual([1, 1]);
    expect(calls).toEqual(['reconcile a']);
    expect(env.server.openWatches).toBe(watches);
    expect(operator.meter.value('chancery_unselected_finalizers', { controller: 'web' })).toBe(0);
    await label('a', { frozen: 'yes' });
    expect(await told()).toMatchObject([{ regarding: { name: 'a' } }]);
  });

  test('an object that leaves the selector during its cleanup is still finalized', async () => {
    const { create, env, label, live, operate, remove } = await place();
    let isClean = false;
    const { calls, declared } = diary({
      finalizer: {
        name: OURS,
        finalize: () => {
          calls.push('finalize');
          return isClean ? undefined : { requeueAfterMs: 40_000 };
        },
      },
    });
    await create('a');
    await operate(declared);
    await remove('a');

    await label('a', { tier: 'batch' });
    since(calls);
    await env.advance(100_000);
    const meanwhile = [...calls];
    isClean = true;
    await env.advance(40_000);

    expect(meanwhile).toEqual(['finalize', 'finalize']);
    expect(await live('a')).toBeUndefined();
    expect(calls.at(-1)).toBe('gone a');
  });

  test('if an object without the finalizer leaves the selector, `gone` is called', async () => {
    const { create, label, live, operate } = await place();
    const { calls, declared } = diary({ finalizer: undefined as never });
    await create('a', { finalizers: ['other.dev/x'] });
    await operate(declared);

    await label('a', { tier: 'batch' });

    expect(calls).toEqual(['reconcile a', 'gone a']);
    expect(await live('a')).toBeDefined();
  });

  test('if the reconciler itself changed the label, `gone` is not called', async () => {
    const { create, operate, remove, live } = await place();
    const { calls, declared } = diary({
      permissions: [{ resource: configMaps, verbs: ['patch'] }],
      reconcile: async ({ metadata }, { client }) => {
        const body = { metadata: { labels: { tier: 'done' } } };
        await client.patch(configMaps, metadata, { type: 'merge', body });
        return { requeueAfterMs: 0 };
      },
    });
    await create('a');

    await operate(declared);
    const before = [...calls];
    await remove('a');

    expect(before).toEqual([]);
    expect(calls).toEqual(['finalize a true', 'gone a']);
    expect(await live('a')).toBeUndefined();
  });

  test('if the finalizer of an object outside the selector is removed by hand, `gone` is called', async () => {
    const { create, env, label, namespace, operate, live } = await place();
    const { calls, declared } = diary();
    await create('a');
    await operate(declared);
    await label('a', { tier: 'batch' });
    since(calls);

    await env.patch('v1', 'ConfigMap', namespace, 'a', { metadata: { finalizers: null } });
    await env.settled();

    expect(calls).toEqual(['gone a']);
    expect(await live('a')).toBeDefined();
  });
});

describe('[K-26] [child 9] finalizing objects that left the selector before the operator started', () => {
  test('objects that left the selector while the operator was down are finalized when they are deleted', async () => {
    const { create, env, label, live, operate, remove } = await place();
    for (const name of ['early', 'late']) await create(name);
    const first = await operate(diary().declared);
    for (const name of ['early', 'late']) await label(name, { frozen: 'yes' });
    await first.stop();
    await remove('early');
    const { calls, declared } = diary();

    const second = await operate(declared);
    const atStart = [...calls];
    await remove('late');
    await env.settled();

    expect(atStart).toEqual(['finalize early true', 'gone early']);
    expect(calls.slice(2)).toEqual(['finalize late true', 'gone late']);
    expect([await live('early'), await live('late')]).toEqual([undefined, undefined]);
    expect(second.log.filter(({ message }) => message.startsWith('objects carry'))).toMatchObject([
      { fields: { finalizer: OURS, count: 2 } },
    ]);
  });

  test('objects that left the selector are also finalized by the next leader', async () => {
    const { create, env, label, live, namespace, operate, remove } = await place();
    await create('a');
    const leaderElection = { namespace };
    const first = await operate(diary().declared, { leaderElection });
    const { calls, declared } = diary();
    const second = await operate(declared, { leaderElection });
    await label('a', { tier: 'batch' });

    await first.kill();
    for (let step = 0; step < 60 && !second.leads; step++) await env.advance(1_000);
    await env.advance(5_000);
    const before = [second.leads, ...calls];
    await remove('a');

    expect(before).toEqual([true]);
    expect(calls).toEqual(['finalize a true', 'gone a']);
    expect(await live('a')).toBeUndefined();
  });

  test('deleted objects outside the selector are finalized even if a predicate drops the events of the first list', async () => {
    const { create, env, live, operate, remove } = await place();
    await create('a', { finalizers: [OURS], labels: { tier: 'web', old: 'yes' } });
    await remove('a');
    const { calls, declared } = diary({
      predicate: ({ metadata }) => metadata.labels?.old !== 'yes',
    });

    await operate(declared);
    await env.settled();

    expect(calls).toContain('finalize a true');
    expect(await live('a')).toBeUndefined();
  });
});

test('[K-26] [child 9] unselected objects are finalized even if there are too many to watch each of them', async () => {
  const { create, env, live, namespace, operate, remove, requests } = await place();
  const names = Array.from({ length: 64 }, (_, at) => `a-${at}`);
  for (const name of names) await create(name, { finalizers: [OURS], labels: { tier: 'batch' } });
  const { calls, declared } = diary({ maxConcurrentReconciles: 4 });
  await operate(declared);
  const watches = env.server.openWatches;
  const before = requests().length;
  await env.advance(3_600_000);
  const inAnHour = requests().slice(before);

  await Promise.all(names.map((name) => env.delete('v1', 'ConfigMap', namespace, name)));
  await env.advance(900_000);

  expect(watches).toBeLessThanOrEqual(51);
  expect(inAnHour.filter(isSweep)).toHaveLength(12); // one in five minutes
  expect(inAnHour.filter(({ verb }) => verb === 'get')).toEqual([]);
  expect(calls.filter((call) => call.startsWith('finalize'))).toHaveLength(64);
  expect(calls.filter((call) => call.startsWith('gone'))).toHaveLength(64);
  expect(await live('a-63')).toBeUndefined();
  await remove('a-0').catch(() => {}); // gone
  expect(env.server.openWatches).toBe(1);
}, 60_000);

test('[K-26] [child 9] objects of a decorator that leave a field selector are finalized', async () => {
  const { env, namespace, operate, told } = await place();
  const finalized: boolean[] = [];
  const declared = engine({
    name: 'phases',
    decorator: 'phases',
    parent: source(pods as Resource, { fieldSelector: 'status.phase=Pending' }),
    children: [],
    hasStatusSubresource: true,
    writer: applyWriter({ fieldManager: 'phases' }),
    finalizer: { name: OURS, isUsed: true },
    sync: async ({ finalizing }) => {
      if (finalizing) finalized.push(true);
      return { children: [], finalized: finalizing };
    },
    controller: {},
  });
  await operate(declared);
  const spec = { containers: [{ name: 'a', image: 'a:1' }] };
  await env.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace },
    spec,
  } as never);
  await env.settled();

  await env.patch('v1', 'Pod', namespace, 'a', { status: { phase: 'Running' } }, 'status');
  await env.settled();
  const before = [...finalized];
  await env.delete('v1', 'Pod', namespace, 'a');
  await env.settled();

  expect(before).toEqual([]);
  expect(finalized).toEqual([true]);
  expect(await told()).toMatchObject([{ regarding: { kind: 'Pod', name: 'a' } }]);
  expect((await env.get('v1', 'Pod', namespace, 'a'))?.metadata.finalizers).toBeUndefined();
});

test('[K-26] [child 9] a deletion that this process finalized causes no read and no report', async () => {
  const { create, env, namespace, operate, remove, requests, told } = await place();
  const { calls, declared } = diary();
  for (const name of ['ours', 'others']) await create(name);
  await operate(declared);
  since(calls);
  const gets = () => requests().filter(({ verb }) => verb === 'get').length;
  const before = gets();

  await remove('ours');
  const reads = gets() - before;
  await env.patch('v1', 'ConfigMap', namespace, 'others', { metadata: { finalizers: null } });
  await env.settled();
  await remove('others');

  expect(reads).toBe(0);
  expect(calls.filter((call) => !call.startsWith('reconcile'))).toContain('gone ours');
  expect(await told()).toEqual([]);
});

test('[K-26] [child 9] if two controllers share a finalizer, only the controller that selects an object finalizes it', async () => {
  const { create, env, label, live, operate, remove } = await place();
  const web = diary({ for: source(configMaps, { labelSelector: 'tier=web' }) });
  const batch = diary({ name: 'batch', for: source(configMaps, { labelSelector: 'tier=batch' }) });
  for (const [name, tier] of [
    ['stays', 'batch'],
    ['moves', 'web'],
  ] as const) {
    await create(name, { finalizers: [OURS], labels: { tier } });
  }
  const operator = await operate(web.declared, { controllers: [web.declared, batch.declared] });
  await label('moves', { tier: 'batch' });

  await remove('stays');
  await remove('moves');
  await env.settled();

  expect(web.calls).toEqual(['reconcile moves', 'gone moves']);
  expect(batch.calls.filter((call) => call.startsWith('finalize'))).toEqual([
    'finalize stays true',
    'finalize moves true',
  ]);
  expect([await live('stays'), await live('moves')]).toEqual([undefined, undefined]);
  expect(operator.log.filter(({ level }) => level === 'warn')).toEqual([]);
});
