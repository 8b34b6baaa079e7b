/** From the original to this operator and back: what one has written, the other finds as its own. */
import {
  configMap,
  daemonSet,
  deployment,
  eventually,
  FakeClock,
  secret,
  statefulSet,
} from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { describe, expect, test } from 'vitest';
import type { Place } from '../../testing/place.ts';
import { hashOf, original } from './support/original.ts';
import { startReloader } from './support/start.ts';

type Strategy = 'env-vars' | 'annotations';

describe.each<Strategy>(['env-vars', 'annotations'])('with the strategy %s', (strategy) => {
  test('[reloader 10] the values that the original operator wrote stay, and no template changes', async () => {
    const { place, stakater } = await writtenByOriginal(strategy);
    const before = await templates(place);

    await start(place);

    expect(await templates(place)).toEqual(before);
    const written = place.writes().length;
    // A template with annotations shows the last resource alone: the other one is noted beside it.
    expect(written).toBe(strategy === 'env-vars' ? 0 : WORKLOADS.length);
    await place.operator.stop();
    await start(place);
    expect(place.writes()).toHaveLength(written);
    expect(await templates(place)).toEqual(before);
    expect(stakater.sent).toHaveLength(2 * WORKLOADS.length);
  });

  test('[reloader 10] the next change causes one patch per workload, with values that the original operator then recognises', async () => {
    const { place, stakater } = await writtenByOriginal(strategy);
    await start(place);
    const before = await templates(place);
    const written = place.writes().length;

    await change(place, 'ConfigMap', 'app-config', { message: 'two' });
    await rolled(place, before);
    await place.operator.stop();
    const after = await templates(place);

    expect(place.writes()).toHaveLength(written + WORKLOADS.length);
    for (const name of WORKLOADS) {
      const { env, last } = after[name] as Template;
      if (strategy === 'env-vars') expect(env).toEqual(shownBy('two'));
      else expect(last).toMatchObject({ name: 'app-config', hash: hashOfMessage('two') });
    }
    await goBack({ place, stakater }, strategy);
  });

  test('[reloader 10] of two resources with the same variable, the second resource is written only when it changes', async () => {
    const place = await begin(strategy);
    const { env, namespace } = place;
    const stakater = original(env.url, namespace, strategy);
    const annotations = { 'configmap.reloader.stakater.com/reload': 'a-b,a.b' };
    await env.create(deployment('web', { namespace, annotations, podSpec: POD }));
    for (const name of ['a-b', 'a.b']) {
      await env.create(configMap(name, { namespace, data: { name } }));
      await stakater.changed('CONFIGMAP', name);
    }
    const before = await templates(place);

    await start(place);
    expect(await templates(place)).toEqual(before);
    await change(place, 'ConfigMap', 'a-b', { name: 'changed' });
    await rolled(place, before);

    const after = await templates(place);
    const { env: variables, last } = after['Deployment/web'] as Template;
    const hash = hashOf('CONFIGMAP', { data: { name: 'changed' } });
    if (strategy === 'annotations') expect(last).toMatchObject({ name: 'a-b', hash });
    else {
      const suffixed = expect.stringMatching(/^STAKATER_A_B_CONFIGMAP_[0-9A-F]{8}$/);
      expect(variables).toEqual([
        { name: suffixed, value: hash },
        { name: 'STAKATER_A_B_CONFIGMAP', value: hashOf('CONFIGMAP', { data: { name: 'a.b' } }) },
        OWN_VARIABLE,
      ]);
    }
    const written = place.writes().length;
    await place.operator.stop();
    await start(place);
    expect(place.writes()).toHaveLength(written);
    expect(await templates(place)).toEqual(after);
  });

  test('[reloader 10] after a switch to the original operator and back, the records of both operators are kept', async () => {
    const place = await begin(strategy);
    const { env, namespace } = place;
    const stakater = original(env.url, namespace, strategy);
    const names = ['app-config', 'a-b', 'a.b'];
    const annotations = { 'configmap.reloader.stakater.com/reload': names.join(',') };
    await env.create(deployment('web', { namespace, annotations, podSpec: POD }));
    for (const name of names) {
      await env.create(configMap(name, { namespace, data: { name } }));
      await stakater.changed('CONFIGMAP', name);
    }
    await start(place);
    for (const name of names) await change(place, 'ConfigMap', name, { name: `here ${name}` });
    await eventually(async () => {
      const text = JSON.stringify(await live(place, 'Deployment'));
      const hashes = names.map((name) => hashOf('CONFIGMAP', { data: { name: `here ${name}` } }));
      return hashes.every((hash) => text.includes(hash));
    });
    await place.idle();
    await place.operator.stop();

    for (const name of names) {
      await change(place, 'ConfigMap', name, { name: `original ${name}` });
      await stakater.changed('CONFIGMAP', name);
      const before = await templates(place);
      await start(place);
      expect(await templates(place)).toEqual(before);
      await place.operator.stop();
    }
  });

  test('[reloader 10] if a resource changes while neither operator runs, each workload restarts once', async () => {
    const { place } = await writtenByOriginal(strategy);
    const before = await templates(place);
    // Both strategies show it, because the original has written it last.
    await change(place, 'Secret', 'app-credentials', { password: 'bmV3' });

    await start(place);
    await rolled(place, before);
    const after = await templates(place);
    await place.operator.stop();
    await start(place);

    expect(await templates(place)).toEqual(after);
  });
});

test('[reloader 10] [reloader R2] a Deployment that the original operator paused is resumed on time', async () => {
  const clock = new FakeClock(Date.now());
  const place = await begin('env-vars', clock);
  const { env, namespace } = place;
  await env.create(configMap('app-config', { namespace, data: { message: 'one' } }));
  const annotations = { ...AUTO, 'deployment.reloader.stakater.com/pause-period': '5m' };
  await env.create(deployment('web', { namespace, annotations, podSpec: POD }));
  await original(env.url, namespace).changed('CONFIGMAP', 'app-config');
  const { 'Deployment/web': before } = await templates(place);

  await start(place);
  clock.advance(4 * 60_000);
  await place.idle();
  const early = await live(place, 'Deployment');
  const late = await eventually(async () => {
    clock.advance(1_000);
    const found = await live(place, 'Deployment');
    return found.spec.paused !== true && found;
  });

  expect(early.spec.paused).toBe(true);
  expect(late.metadata.annotations).toEqual(annotations);
  expect((await templates(place))['Deployment/web']?.text).toEqual(before?.text);
});

/** The original is back: it acts on the next change, and on nothing before. */
async function goBack({ place, stakater }: Written, strategy: Strategy): Promise<void> {
  const before = await templates(place);
  const sent = stakater.sent.length;
  // Its start with `--sync-after-restart`; under annotations it would restart everything, whoever ran before.
  if (strategy === 'env-vars') {
    await stakater.changed('CONFIGMAP', 'app-config');
    await stakater.changed('SECRET', 'app-credentials');
  }
  expect(stakater.sent).toHaveLength(sent);
  expect(await templates(place)).toEqual(before);

  await change(place, 'Secret', 'app-credentials', { password: 'bmV3' });
  await stakater.changed('SECRET', 'app-credentials');

  expect(stakater.sent).toHaveLength(sent + WORKLOADS.length);
  const hash = hashOf('SECRET', { data: { password: 'bmV3' } });
  for (const { env, last } of Object.values(await templates(place))) {
    if (strategy === 'annotations') expect(last).toMatchObject({ name: 'app-credentials', hash });
    else expect(env).toContainEqual({ name: 'STAKATER_APP_CREDENTIALS_SECRET', value: hash });
  }
}

const AUTO = { 'reloader.stakater.com/auto': 'true' };
const IMAGE = 'registry.k8s.io/pause:3.10';
const OWN_VARIABLE = { name: 'A', value: '1' };
/** The second container uses both resources, so that it is the one that is marked. */
const POD = {
  containers: [
    { name: 'side', image: IMAGE },
    {
      name: 'app',
      image: IMAGE,
      envFrom: [
        { configMapRef: { name: 'app-config' } },
        { secretRef: { name: 'app-credentials' } },
      ],
      env: [OWN_VARIABLE],
    },
  ],
};
const PASSWORD = 'b2xk';
const KINDS = ['Deployment', 'DaemonSet', 'StatefulSet'] as const;
const WORKLOADS = KINDS.map((kind) => `${kind}/web`);

interface Written {
  readonly place: Place;
  readonly stakater: ReturnType<typeof original>;
}

/** Not started yet; changes are acted upon at once. */
function begin(strategy: Strategy, clock?: FakeClock): Promise<Place> {
  const args = [`--reload-strategy=${strategy}`, '--debounce=0s'];
  return startReloader({ args, stopped: true, ...(clock && { clock }) });
}

/** Three workloads, of which the original has restarted each for its ConfigMap and then for its Secret. */
async function writtenByOriginal(strategy: Strategy): Promise<Written> {
  const place = await begin(strategy);
  const { env, namespace } = place;
  await env.create(configMap('app-config', { namespace, data: { message: 'one' } }));
  await env.create(secret('app-credentials', { namespace, data: { password: PASSWORD } }));
  const fields = { namespace, annotations: AUTO, podSpec: POD };
  for (const make of [deployment, daemonSet, statefulSet]) await env.create(make('web', fields));
  const stakater = original(env.url, namespace, strategy);
  await stakater.changed('CONFIGMAP', 'app-config');
  await stakater.changed('SECRET', 'app-credentials');
  return { place, stakater };
}

/** Resolves when the operator has looked at everything. */
async function start(place: Place): Promise<void> {
  await place.startOperator().untilReady();
  await place.idle();
}

async function change(place: Place, kind: string, name: string, data: object): Promise<void> {
  await place.env.patch('v1', kind, place.namespace, name, { data });
}

/** Every template has changed, once and no more, and nothing is left to do. */
async function rolled(place: Place, before: Templates): Promise<void> {
  await eventually(async () => {
    const now = await templates(place);
    return Object.entries(before).every(([name, { text }]) => now[name]?.text !== text);
  });
  await place.idle();
  for (const [name, { changes }] of Object.entries(await templates(place))) {
    expect(changes).toBe((before[name]?.changes ?? 0) + 1);
  }
}

interface Template {
  /** How often it has changed. A Deployment's generation also counts changes of its annotations. */
  readonly changes: number;
  readonly text: string;
  /** Variables of its containers. */
  readonly env: readonly unknown[];
  /** Of `last-reloaded-from`. */
  readonly last: unknown;
}

type Templates = Readonly<Record<string, Template>>;

interface Workload extends KubernetesObject {
  readonly spec: {
    readonly paused?: boolean;
    readonly template: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly { readonly env?: readonly unknown[] }[] };
    };
  };
}

async function templates({ env, namespace }: Place): Promise<Templates> {
  const found: Record<string, Template> = {};
  for (const kind of KINDS) {
    for (const { metadata, spec } of await env.list<Workload>('apps/v1', kind, namespace)) {
      const { annotations = {} } = spec.template.metadata;
      const past = env.events.history(`${kind.toLowerCase()}s.apps`, namespace, metadata.name);
      const texts = past.map((each) => JSON.stringify((each as Workload).spec.template));
      found[`${kind}/${metadata.name}`] = {
        changes: texts.filter((text, at) => at > 0 && text !== texts[at - 1]).length,
        text: JSON.stringify(spec.template),
        env: spec.template.spec.containers.flatMap((each) => each.env ?? []),
        last: JSON.parse(annotations['reloader.stakater.com/last-reloaded-from'] ?? 'null'),
      };
    }
  }
  return found;
}

async function live({ env, namespace }: Place, kind: string): Promise<Workload> {
  const found = await env.get<Workload>('apps/v1', kind, namespace, 'web');
  if (found === undefined) throw new Error(`there is no ${kind} web`);
  return found;
}

/** In the order in which the original has written them: a new one comes first. */
function shownBy(message: string): readonly object[] {
  const value = hashOf('SECRET', { data: { password: PASSWORD } });
  return [
    { name: 'STAKATER_APP_CREDENTIALS_SECRET', value },
    { name: 'STAKATER_APP_CONFIG_CONFIGMAP', value: hashOfMessage(message) },
    OWN_VARIABLE,
  ];
}

const hashOfMessage = (message: string): string => hashOf('CONFIGMAP', { data: { message } });
