import { readFileSync } from 'node:fs';
import { parseYaml } from 'chancery';
import { crdYaml } from 'chancery/schema';
import { eventually } from 'chancery/testing';
import { expect, test } from 'vitest';
import { foos } from '../definition.ts';
import { CRD, complaints, SAMPLE, startFoos } from './foo-place.ts';

const ORIGINALS = ['crd.yaml', 'crd-status-subresource.yaml'] as const;
const original = (name: string): URL => new URL(`original/${name}`, import.meta.url);

test('the definition that is shipped is the one of the schema', async () => {
  await expect(crdYaml(foos)).toMatchFileSnapshot('../crd.yaml');
});

test('a Foo of the original has the same fields here', () => {
  const text = readFileSync(original('crd-status-subresource.yaml'), 'utf8');
  const { metadata, spec } = parseYaml(text) as typeof foos.definition;
  const bare = (part: object | undefined): unknown =>
    JSON.parse(JSON.stringify(part, (key, value) => (key === 'description' ? undefined : value)));

  const theirs = spec.versions[0]?.schema.openAPIV3Schema.properties;
  const ours = foos.definition.spec.versions[0]?.schema.openAPIV3Schema.properties;

  expect(foos.definition.metadata.name).toBe(metadata.name);
  expect(bare(ours?.spec?.properties)).toEqual(theirs?.spec?.properties);
  expect(ours?.status?.properties).toMatchObject(theirs?.status?.properties ?? {});
});

test.each(
  ORIGINALS,
)('FO1, acceptance 5: a status is written where the definition is the original %s', async (name) => {
  const place = await startFoos({ manifests: [original(name)] });

  await place.apply(SAMPLE);
  await eventually(async () => (await place.foo())?.status?.availableReplicas === 1);
  await place.touch();
  const before = place.writes();
  await place.touch();
  const idle = place.writes();
  await place.edit({ replicas: 2, deploymentName: 'second' });
  await eventually(async () => (await place.foo())?.status?.availableReplicas === 2);
  await eventually(async () => (await place.deployment()) === undefined);

  expect(idle).toEqual(before);
  expect((await place.foo())?.status).toEqual({ availableReplicas: 2 });
  expect(complaints(place)).toEqual([]);
});

test.each(
  ORIGINALS,
)('FO1: conditions come as soon as this definition follows the original %s', async (name) => {
  const place = await startFoos({ manifests: [original(name)] });
  await place.apply(SAMPLE);
  await eventually(async () => (await place.foo())?.status?.availableReplicas === 1);

  await place.env.apply(CRD);
  await place.edit({ replicas: 2 });
  const foo = await place.told('Synced');

  expect(foo.status?.conditions).toMatchObject([{ status: 'True' }]);
});

test.each(
  ORIGINALS,
)('a Foo without a spec is told so where the definition is the original %s', async (name) => {
  const place = await startFoos({ manifests: [original(name)] });
  const { env, namespace } = place;

  const metadata = { name: 'bare', namespace };
  await env.create({ apiVersion: 'samplecontroller.k8s.io/v1alpha1', kind: 'Foo', metadata });
  await eventually(async () => (await place.count('DeploymentNameMissing')) > 0);

  expect((await place.foo('bare'))?.metadata.name).toBe('bare');
  expect(complaints(place)).toEqual([]);
});
