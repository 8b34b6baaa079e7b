/**
 * Definitions in a chart, installed, upgraded and uninstalled as Helm does it: the rendered objects by server-side
 * apply, and at the end each object deleted that has no annotation to keep it.
 *
 * @module-tag go
 */
import { startTestEnv, type TestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { thing } from '../bundle/support/bundles.ts';
import { renderOnce } from '../helm/render-chart.ts';
import { chartOf, websiteModel } from './support/charts.ts';

const RELEASE = { release: 'website', namespace: 'default' };
const VALUES = { rbac: { namespaced: true } };

async function cluster(): Promise<TestEnv> {
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  return env;
}

/** The definition of `Thing` with these fields below `spec`, all of which are optional. */
function things(...names: readonly string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return thing({ properties: { spec: { type: 'object', properties } } });
}

async function release(
  names: readonly string[],
  values: object = VALUES,
  isUpgrade: boolean = false,
): Promise<readonly KubernetesObject[]> {
  const chart = chartOf(websiteModel({ definitions: [things(...names)] }));
  const { objects } = await renderOnce(chart, { ...RELEASE, values, isUpgrade });
  return objects;
}

/** Definitions first, as Helm sorts kinds. */
async function install(env: TestEnv, objects: readonly KubernetesObject[]): Promise<void> {
  const isDefinition = ({ kind }: KubernetesObject): boolean => kind === 'CustomResourceDefinition';
  await env.apply(
    [...objects.filter(isDefinition), ...objects.filter((each) => !isDefinition(each))],
    {
      namespace: RELEASE.namespace,
    },
  );
}

/** As `helm uninstall`. */
async function uninstall(env: TestEnv, objects: readonly KubernetesObject[]): Promise<void> {
  for (const { apiVersion, kind, metadata } of objects) {
    if (metadata.annotations?.['helm.sh/resource-policy'] === 'keep') continue;
    const namespace = /^Cluster|Definition$/.test(kind) ? undefined : RELEASE.namespace;
    await env.delete(apiVersion, kind, namespace, metadata.name);
  }
}

function aThing(name: string, spec: object): KubernetesObject {
  const metadata = { name, namespace: RELEASE.namespace };
  return { apiVersion: 'things.example/v1', kind: 'Thing', metadata, spec } as KubernetesObject;
}

const nameOf = ({ metadata: { name } }: KubernetesObject): string => name;

test('[packaging 6] an upgrade of the release changes the definitions, and existing objects stay', async () => {
  const env = await cluster();
  await install(env, await release(['size']));
  const before = await env.create(aThing('before', { size: 'small', color: 'red' }));
  expect(before).toMatchObject({ spec: { size: 'small' } });
  expect(before).not.toMatchObject({ spec: { color: 'red' } });

  await install(env, await release(['size', 'color'], VALUES, true));

  expect(await env.create(aThing('after', { color: 'red' }))).toMatchObject({
    spec: { color: 'red' },
  });
  const old = await env.get('things.example/v1', 'Thing', RELEASE.namespace, 'before');
  expect(old).toMatchObject({ spec: { size: 'small' } });
});

test('[packaging 6] after an uninstall, only the definitions and their objects are left', async () => {
  const env = await cluster();
  const objects = await release(['size']);
  await install(env, objects);
  await env.create(aThing('one', { size: 'small' }));

  await uninstall(env, objects);

  const definitions = await env.list('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  expect(definitions.map(nameOf).sort()).toEqual(['things.things.example', 'websites.example.dev']);
  expect((await env.list('things.example/v1', 'Thing')).map(nameOf)).toEqual(['one']);
  const left = await Promise.all(
    [
      ['apps/v1', 'Deployment'],
      ['v1', 'ServiceAccount'],
      ['rbac.authorization.k8s.io/v1', 'Role'],
      ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
    ].map(([apiVersion = '', kind = '']) => env.list(apiVersion, kind, RELEASE.namespace)),
  );
  expect(
    left
      .flat()
      .map(nameOf)
      .filter((name) => name.startsWith('website')),
  ).toEqual([]);
});

test('[packaging 6] with `crd.keep=false`, the definitions are removed with the release, and with `crd.enabled=false` they are never installed', async () => {
  const env = await cluster();
  const objects = await release(['size'], { ...VALUES, crd: { keep: false } });
  await install(env, objects);
  await uninstall(env, objects);

  const without = await release(['size'], { ...VALUES, crd: { enabled: false } });

  expect(await env.list('apiextensions.k8s.io/v1', 'CustomResourceDefinition')).toEqual([]);
  const kinds = (all: readonly KubernetesObject[]) => all.map(({ kind }) => kind).sort();
  const others = kinds(objects).filter((kind) => kind !== 'CustomResourceDefinition');
  expect(kinds(without)).toEqual(others);
  expect(kinds(objects)).toContain('CustomResourceDefinition');
});
