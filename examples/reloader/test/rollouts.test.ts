/** Argo Rollouts, by a stub of their definition. */
import { eventually, FakeClock } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { describe, expect, test } from 'vitest';
import { hashOfConfigMap } from '../contract/hash.ts';
import { BASELINE } from '../record/baseline.ts';
import { type Rollout, rollouts, templateUpdate } from '../workloads/rollout.ts';
import {
  APP,
  AUTO,
  type Data,
  envFrom,
  type Given,
  type Reloading,
  startReloader,
} from './support/start.ts';

const VARIABLE = 'STAKATER_APP_CONFIGMAP';
const STRATEGY = 'reloader.stakater.com/rollout-strategy';
const hashOf = (mode: string): string => hashOfConfigMap({ data: { mode } });

const argo = (given: Given = {}) =>
  startReloader({
    ...given,
    args: ['--is-Argo-Rollouts=true'],
    manifests: [new URL('crds/argo-rollouts.yaml', import.meta.url)],
  });

function rollout(name: string, annotations: Data, spec: object): KubernetesObject {
  const metadata = { name, annotations };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata,
    spec,
  } as KubernetesObject;
}

async function live({ env, namespace }: Reloading, name: string): Promise<Rollout> {
  const found = await env.get(rollouts, namespace, name);
  if (found === undefined) throw new Error(`no Rollout ${name}`);
  return found;
}

/** The Rollout, when its baseline has this hash of the ConfigMap `app`. */
function recorded(reloader: Reloading, name: string, hash: string): Promise<Rollout> {
  return eventually(
    async () => {
      const found = await live(reloader, name);
      return found.metadata.annotations?.[BASELINE]?.includes(hash) === true && found;
    },
    { timeoutMs: 30_000 },
  );
}

describe('[reloader 24] a change of the ConfigMap of a Rollout', () => {
  test('[reloader R22] with the strategy `restart`, a change sets restartAt and records the hash, so that the Rollout restarts once', async () => {
    const reloader = await argo();
    await reloader.config('app', { mode: 'slow' });
    const { spec: podSpec } = envFrom('configmap/app');
    const spec = { replicas: 2, template: { spec: podSpec } };
    await reloader.apply([rollout('web', { ...AUTO, [STRATEGY]: 'restart' }, spec)]);
    const before = await recorded(reloader, 'web', hashOf('slow'));
    const writesBefore = reloader.writes().length;

    await reloader.config('app', { mode: 'fast' });
    const after = await recorded(reloader, 'web', hashOf('fast'));
    await reloader.operator.stop();
    reloader.startOperator();
    await reloader.handled();

    const writes = reloader.writes().slice(writesBefore);
    expect(writes.filter((each) => each.includes('rollouts'))).toEqual([
      'patch rollouts.argoproj.io',
    ]);
    expect(before.spec.restartAt).toBeUndefined();
    expect(after.spec.restartAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(after.spec).toMatchObject(spec);
    const { metadata } = await live(reloader, 'web');
    expect(metadata.resourceVersion).toBe(after.metadata.resourceVersion);
  });

  test('with the strategy `restart`, a change causes a restart even if the template already has the hash', async () => {
    const clock = new FakeClock(Date.now());
    const reloader = await argo({ clock });
    await reloader.config('app', { mode: 'slow' });
    const env = [{ name: VARIABLE, value: hashOf('slow') }];
    const containers = [{ ...APP, env, envFrom: [{ configMapRef: { name: 'app' } }] }];
    const annotations = { ...AUTO, [STRATEGY]: 'restart' };
    await reloader.apply([rollout('web', annotations, { template: { spec: { containers } } })]);
    await reloader.handled();
    expect((await live(reloader, 'web')).metadata.generation).toBe(1);

    await reloader.config('app', { mode: 'fast' });
    const fast = await recorded(reloader, 'web', hashOf('fast'));
    clock.advance(2_000);
    await reloader.config('app', { mode: 'slow' });
    const slow = await recorded(reloader, 'web', hashOf('slow'));

    expect(fast.spec.restartAt).toBeDefined();
    expect(slow.spec.restartAt).not.toBe(fast.spec.restartAt);
    expect(slow.spec).toMatchObject({ template: { spec: { containers } } });
  });

  test('a change restarts a Rollout although the templates of other Rollouts cannot be read', async () => {
    const reloader = await argo();
    await reloader.config('app', { mode: 'slow' });
    const bare = { ...APP, env: null, envFrom: [{ configMapRef: { name: 'app' } }] };
    await reloader.apply([
      rollout('a-none', AUTO, {}),
      rollout('b-no-spec', AUTO, { template: { metadata: { annotations: null } } }),
      rollout('c-no-containers', AUTO, { template: { spec: { volumes: null } } }),
      rollout('web', AUTO, { template: { spec: { containers: [bare], volumes: null } } }),
    ]);
    await recorded(reloader, 'web', hashOf('slow'));

    await reloader.config('app', { mode: 'fast' });
    await recorded(reloader, 'web', hashOf('fast'));

    expect((await live(reloader, 'web')).spec.template?.spec.containers).toMatchObject([
      { name: 'app', env: [{ name: VARIABLE, value: hashOf('fast') }] },
    ]);
  });

  test.each([
    'rollout',
    'Restart',
  ])('with the strategy %s, a change writes into the template of the Rollout', async (strategy) => {
    const reloader = await argo();
    await reloader.config('app', { mode: 'slow' });
    const env = [{ name: 'A', value: '1' }];
    const { spec: podSpec } = envFrom('configmap/app');
    const side = { ...APP, name: 'side', env };
    const spec = { template: { spec: { containers: [side, ...(podSpec.containers ?? [])] } } };
    await reloader.apply([rollout('web', { ...AUTO, [STRATEGY]: strategy }, spec)]);
    await recorded(reloader, 'web', hashOf('slow'));

    for (const mode of ['fast', 'faster']) {
      await reloader.config('app', { mode });
      await recorded(reloader, 'web', hashOf(mode));
    }

    const after = await live(reloader, 'web');
    expect(after.spec.restartAt).toBeUndefined();
    expect(after.spec.template?.spec.containers).toMatchObject([
      { name: 'side', env },
      { name: 'app', env: [{ name: VARIABLE, value: hashOf('faster') }] },
    ]);
    expect(after.metadata.generation).toBe(3);
  });

  test('if a Rollout takes the template of a Deployment by workloadRef, a change restarts the Deployment, and not the Rollout', async () => {
    const reloader = await argo();
    await reloader.config('app', { mode: 'slow' });
    await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    await reloader.apply([rollout('web', { ...AUTO, [STRATEGY]: 'restart' }, { workloadRef })]);
    await reloader.recorded('web');

    await reloader.config('app', { mode: 'fast' });
    await reloader.rolledOut('web', 1);
    await reloader.handled();

    expect(await reloader.variables('web')).toEqual({ [VARIABLE]: hashOf('fast') });
    expect((await live(reloader, 'web')).metadata.annotations).not.toHaveProperty([BASELINE]);
  });
});

describe('[reloader R14] the JSON patch of a Rollout', () => {
  const web = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'web', uid: 'u1', resourceVersion: '7' },
    spec: {
      template: {
        spec: {
          containers: [
            { ...APP, env: ['A', 'OLD', 'B', 'OLD', 'KEPT'].map((name) => ({ name, value: '1' })) },
            { ...APP, name: 'side' },
          ],
        },
      },
    },
  } as Rollout;
  const change = (container: string, name: string, value: string | undefined) => ({
    container,
    name,
    value,
  });
  const plan = { changes: [], templateAnnotations: {}, annotations: {} };
  const bodyOf = (more: object) => templateUpdate(web, { ...plan, variables: [], ...more }).body;

  test('the JSON patch of a Rollout first tests uid and resourceVersion of the object', () => {
    expect(bodyOf({})).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'u1' },
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
    ]);
  });

  test('the JSON patch of a Rollout tests the name at each position that it changes, and removes items from the end', () => {
    const variables = [
      change('app', 'OLD', undefined),
      change('app', 'KEPT', '2'),
      change('app', 'NEW', '3'),
      change('side', 'NEW', '4'),
    ];
    const [app, side] = [0, 1].map((at) => `/spec/template/spec/containers/${at}`);

    expect(bodyOf({ variables }).slice(2)).toEqual([
      { op: 'test', path: `${app}/name`, value: 'app' },
      { op: 'test', path: `${app}/env/1/name`, value: 'OLD' },
      { op: 'test', path: `${app}/env/3/name`, value: 'OLD' },
      { op: 'test', path: `${app}/env/4/name`, value: 'KEPT' },
      { op: 'replace', path: `${app}/env/4`, value: { name: 'KEPT', value: '2' } },
      { op: 'remove', path: `${app}/env/3` },
      { op: 'remove', path: `${app}/env/1` },
      { op: 'add', path: `${app}/env/-`, value: { name: 'NEW', value: '3' } },
      { op: 'test', path: `${side}/name`, value: 'side' },
      { op: 'add', path: `${side}/env`, value: [] },
      { op: 'add', path: `${side}/env/-`, value: { name: 'NEW', value: '4' } },
    ]);
  });

  test('the JSON patch of a Rollout adds missing maps of annotations, and removes only existing annotations', () => {
    const templateAnnotations = { 'a/b~c': 'x', gone: null };
    const annotations = { note: 'y' };

    expect(bodyOf({ templateAnnotations, annotations }).slice(2)).toEqual([
      { op: 'add', path: '/metadata/annotations', value: {} },
      { op: 'add', path: '/metadata/annotations/note', value: 'y' },
      { op: 'add', path: '/spec/template/metadata', value: {} },
      { op: 'add', path: '/spec/template/metadata/annotations', value: {} },
      { op: 'add', path: '/spec/template/metadata/annotations/a~1b~0c', value: 'x' },
    ]);
  });
});
