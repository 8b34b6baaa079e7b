import { readFileSync } from 'node:fs';
import type { CustomResourceDefinition } from 'chancery/kubernetes';
import { parseYaml } from 'chancery/low-level';
import { crdYaml } from 'chancery/schema';
import { expect, test } from 'vitest';
import { blogPosts } from '../operator.ts';

test('the shipped definition is generated from the schema', async () => {
  await expect(crdYaml(blogPosts)).toMatchFileSnapshot('../crd.yaml');
});

test('acceptance 1: the definition has the fields of the original operator, and also the usual fields of a status', () => {
  const text = readFileSync(new URL('seed/crd.yaml', import.meta.url), 'utf8');
  const seed = parseYaml(text) as CustomResourceDefinition;

  const [own] = blogPosts.definition.spec.versions;
  const { spec, status } = own?.schema.openAPIV3Schema.properties ?? {};
  const { observedGeneration, conditions, ...fields } = status?.properties ?? {};

  expect([observedGeneration?.type, conditions?.type]).toEqual(['integer', 'array']);
  expect(spec?.default).toEqual({});
  const { default: _, ...bare } = spec ?? {};
  const schema = {
    type: 'object',
    properties: { spec: bare, status: { ...status, properties: fields } },
  };
  expect(
    undescribed({
      ...blogPosts.definition.spec,
      versions: [{ ...own, schema: { openAPIV3Schema: schema } }],
    }),
  ).toEqual(undescribed(withoutImplied(seed.spec)));
});

/** Every object has an apiVersion, a kind and metadata, whether its schema says so or not. */
function withoutImplied(spec: CustomResourceDefinition['spec']): object {
  const { apiVersion, kind, metadata, ...properties } =
    spec.versions[0]?.schema?.openAPIV3Schema?.properties ?? {};
  expect([apiVersion?.type, kind?.type, metadata?.type]).toEqual(['string', 'string', 'object']);
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return { ...spec, versions: [{ ...spec.versions[0], schema }] };
}

function undescribed(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, part) => (key === 'description' ? undefined : part)),
  );
}
