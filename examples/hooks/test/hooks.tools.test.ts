/**
 * The bash and the Python hook of this example at a cluster, with the rights and the filter that are generated for them.
 *
 * @module-tag jq
 * @module-tag bash
 * @module-tag python3
 */
import { eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { type HooksPlace, startHooks } from '../../../packages/hooks/test/support/place.ts';
import { filesOf, PATIENT } from './hook-files.ts';

test('[hooks 1] the bash hook restarts selected Deployments when it first sees the ConfigMap, and then once per change', async () => {
  const place = await startHooks({ files: filesOf('config-watcher.sh'), stopped: true });
  await place.apply(configMap('settings', '1'));
  await place.apply(deployment('web'));
  await place.apply(deployment('other'));
  place.startOperator();

  const first = await hashAfter(place, undefined);
  await place.apply(configMap('settings', '2'));
  const second = await hashAfter(place, first);
  const { metadata } = await deploymentIn(place, 'web');

  expect(second).not.toBe(first);
  expect(metadata.generation).toBe(3);
  expect((await deploymentIn(place, 'other')).metadata.generation).toBe(1);
});

test('HK2: a change of a label starts no run', async () => {
  const place = await startHooks({ files: filesOf('config-watcher.sh') });
  await place.apply(deployment('web'));
  await place.apply(configMap('settings', '1'));
  const first = await hashAfter(place, undefined);

  await place.env.patch('v1', 'ConfigMap', place.namespace, 'settings', {
    metadata: { labels: { touched: 'yes' } },
  });
  await place.apply(configMap('settings', '2'));
  await hashAfter(place, first);

  const writes = place.writes().filter((write) => write === 'patch deployments.apps');
  expect(writes).toHaveLength(2);
});

test('[hooks 1] the Python hook copies a Secret to a newly labelled namespace, updates the copy, and deletes it', async () => {
  const place = await startHooks({ files: filesOf('secret-copier.py'), allNamespaces: true });
  const { env, namespace } = place;
  const copy = () => env.get<Secret>('v1', 'Secret', 'shop', 'registry');
  const metadata = { name: 'registry', namespace, labels: { 'hooks.chancery.dev/copy': 'yes' } };
  await env.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    data: { user: 'YQ==' },
  } as Secret);
  await env.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const label = (value: string | null) =>
    env.patch('v1', 'Namespace', undefined, 'shop', {
      metadata: { labels: { 'hooks.chancery.dev/copy': value } },
    });

  await label('yes');
  const made = await eventually(copy, PATIENT);
  await env.patch('v1', 'Secret', namespace, 'registry', { data: { user: 'Yg==' } });
  await eventually(async () => (await copy())?.data?.user === 'Yg==', PATIENT);
  await label(null);
  await eventually(async () => (await copy()) === undefined, PATIENT);

  expect(made.data).toEqual({ user: 'YQ==' });
  expect(made.metadata.annotations).toEqual({
    'hooks.chancery.dev/copied-from': `${namespace}/registry`,
  });
});

type Secret = KubernetesObject & { readonly data?: Readonly<Record<string, string>> };
type Deployment = KubernetesObject & {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
    };
  };
};

function configMap(name: string, value: string): KubernetesObject {
  const annotations = { 'k8spatterns.io/podDeleteSelector': 'app=web' };
  const metadata = { name, annotations };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } } as KubernetesObject;
}

function deployment(name: string): KubernetesObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name, image: name }] } };
  const spec = { selector: { matchLabels: labels }, template };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec,
  } as KubernetesObject;
}

async function deploymentIn({ env, namespace }: HooksPlace, name: string): Promise<Deployment> {
  const found = await env.get<Deployment>('apps/v1', 'Deployment', namespace, name);
  if (found === undefined) throw new Error(`no Deployment ${name}`);
  return found;
}

/** The hash in the template of `web`, once it is another than `before`. */
function hashAfter(place: HooksPlace, before: string | undefined): Promise<string> {
  return eventually(async () => {
    const { spec } = await deploymentIn(place, 'web');
    const hash = spec.template.metadata.annotations?.['settings/sha256'];
    return hash !== before && hash;
  }, PATIENT);
}
