import { readFileSync } from 'node:fs';
import { eventually } from '@chancery/testing';
import { parseYaml } from 'chancery/low-level';
import { crdYaml } from 'chancery/schema';
import { expect, test } from 'vitest';
import { foos } from '../definition.ts';
import { CRD, complaints, type FooPlace, SAMPLE, startFoos } from './foo-place.ts';

const ORIGINALS = ['crd.yaml', 'crd-status-subresource.yaml'] as const;
const original = (name: string): URL => new URL(`original/${name}`, import.meta.url);

test('the shipped definition is generated from the schema', async () => {
  await expect(crdYaml(foos)).toMatchFileSnapshot('../crd.yaml');
});

test('a Foo has the same fields as in the original operator', () => {
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
)("FO1, acceptance 5: with the original operator's %s, a Foo has a status, with conditions if the definition has them", async (name) => {
  const place = await startFoos({ manifests: [original(name)], ownCluster: true });

  await place.apply(SAMPLE);
  await eventually(async () => (await place.foo())?.status?.availableReplicas === 1);
  await place.touch();
  const before = await state(place);
  place.startOperator();
  await place.touch();
  const idle = await state(place);
  place.startOperator();
  await place.edit({ replicas: 2, deploymentName: 'second' });
  await eventually(async () => (await place.foo())?.status?.availableReplicas === 2);
  await eventually(async () => (await place.deployment()) === undefined);
  const narrow = await place.foo();
  await place.createFoo('without-spec');
  await eventually(async () => (await place.count('DeploymentNameMissing')) > 0);
  await place.env.apply(CRD);
  await place.edit({ replicas: 1 });
  const wide = await place.because('Synced');

  expect(idle).toEqual(before);
  expect(narrow?.status).toEqual({ availableReplicas: 2 });
  expect(wide.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  expect(complaints(place)).toEqual([]);
});

/** What an operator leaves that is stopped: the version of the Foo, and how often `Synced` was told. */
async function state(place: FooPlace): Promise<readonly [string | undefined, number]> {
  await place.idle();
  await place.operator.stop(); // and has told all it had to
  const foo = await place.foo();
  return [foo?.metadata.resourceVersion, await place.count('Synced')];
}
