/** Numbers that no float64 holds: Go refuses them where it reads them. */
import { beforeEach, expect, test } from 'vitest';
import { startCluster, type TestCluster } from './support/cluster.ts';

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'scales.weigh.example' },
  spec: {
    group: 'weigh.example',
    scope: 'Namespaced',
    names: { kind: 'Scale', plural: 'scales' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { grams: { type: 'number' }, free: { type: 'object' } },
          },
        },
      },
    ],
  },
};

const SCALES = '/apis/weigh.example/v1/namespaces/default/scales';
const SERVICE = '/api/v1/namespaces/default/services/post';

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await startCluster();
  await cluster.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION);
});

function scale(more: string): string {
  return `{"apiVersion":"weigh.example/v1","kind":"Scale","metadata":{"name":"one"}${more}}`;
}

const READ = 'Scale in version "v1" cannot be handled as a Scale: ';

test.each([
  [',"grams":-2e308', '-2e308'],
  [',"free":{"deep":[1,{"n":3.5e900}]}', '3.5e900'],
  [`,"grams":1${'0'.repeat(309)}`, `1${'0'.repeat(309)}`],
])('a custom resource with the oversized number in %s is refused', async (more, number) => {
  const { status, body } = await cluster.send('POST', SCALES, scale(more));

  expect([status, body.message]).toEqual([
    400,
    `${READ}json: cannot unmarshal number ${number} into Go value of type float64`,
  ]);
});

test('a number near the end of float64 is stored', async () => {
  const { status, body } = await cluster.send('POST', SCALES, scale(',"grams":1.7e308'));

  expect([status, body.grams]).toEqual([201, 1.7e308]);
});

test.each([
  [
    'application/merge-patch+json',
    '{"spec":{"sessionAffinity":8e400}}',
    'error decoding patch: json: cannot unmarshal number 8e400 into Go value of type float64',
  ],
  [
    'application/strategic-merge-patch+json',
    '{"spec":{"sessionAffinity":8e400}}',
    'json: cannot unmarshal number 8e400 into Go value of type float64',
  ],
  [
    'application/json-patch+json',
    '[{"op":"add","path":"/metadata/labels","value":{"a":[-8e400]}}]',
    'error decoding patch: json: cannot unmarshal number -8e400 into Go struct field jsonPatchOp.value of type float64',
  ],
])('a patch of type %s with a number beyond float64 is refused', async (type, patch, message) => {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'post' },
    spec: { ports: [{ port: 80 }] },
  };
  await cluster.send('POST', '/api/v1/namespaces/default/services', service);

  const { status, body } = await cluster.send('PATCH', SERVICE, patch, { 'content-type': type });

  expect([status, body.message]).toEqual([400, message]);
});

test('an apply reads a number beyond float64 as a string, and refuses it in a numeric field', async () => {
  const { status, body } = await cluster.send(
    'PATCH',
    `${SCALES}/two?fieldManager=m`,
    '{"apiVersion":"weigh.example/v1","kind":"Scale","metadata":{"name":"two"},"grams":8e400}',
    { 'content-type': 'application/apply-patch+yaml' },
  );

  expect(status).toBe(500);
  expect(body.message).toContain('.grams: expected numeric (int or float), got string');
});
