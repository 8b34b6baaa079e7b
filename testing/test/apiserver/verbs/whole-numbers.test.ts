/** Whole numbers that are written with a point or an exponent, in fields that take integers. */
import { describe, expect, test } from 'vitest';
import { startCluster } from '../support/cluster.ts';

const QUOTAS = '/apis/apps/v1/namespaces/default/replicasets';
const YAML = { 'content-type': 'application/yaml' };

/** A ReplicaSet as a text, with a number as it is written. */
function replicaSet(replicas: string, port = '80'): string {
  return `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r"},"spec":{"replicas":${replicas},
    "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[
    {"name":"c","image":"i","ports":[{"containerPort":${port}}]}]}}}}`;
}

describe('whole numbers with a decimal point or an exponent in JSON', () => {
  test.each([
    '3.0',
    '3e0',
    '0.3e1',
    '30E-1',
  ])('a built-in kind refuses %s replicas in JSON', async (written) => {
    const { send } = await startCluster();

    const { status, body } = await send('POST', QUOTAS, replicaSet(written));

    expect([status, body.message]).toEqual([
      400,
      `ReplicaSet in version "v1" cannot be handled as a ReplicaSet: json: cannot unmarshal number ${written} into Go struct field ReplicaSetSpec.spec.replicas of type int32`,
    ]);
  });

  test('the error about a number in a list quotes the number as it was written', async () => {
    const { send } = await startCluster();

    const { body } = await send('POST', QUOTAS, replicaSet('3', '8.00e1'));

    expect(body.message).toContain(
      'cannot unmarshal number 8.00e1 into Go struct field ContainerPort.spec.template.spec.containers.ports.containerPort of type int32',
    );
  });

  test('a port that may be a name refuses a number with a decimal point', async () => {
    const { send } = await startCluster();
    const service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80,"targetPort":8080.0}]}}`;

    const { status, body } = await send('POST', '/api/v1/namespaces/default/services', service);

    expect(status).toBe(400);
    expect(body.message).toContain('json: cannot unmarshal number 8080.0 into Go ');
    expect(body.message).toMatch(/of type int32$/);
  });

  test('a quantity accepts a number with a decimal point or an exponent', async () => {
    const { send } = await startCluster();
    const quota = `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{"pods":2.0e1}}}`;

    const { status, body } = await send('POST', '/api/v1/namespaces/default/resourcequotas', quota);

    expect([status, body.spec.hard.pods]).toEqual([201, '20']);
  });
});

test('YAML is converted to JSON first, so that 3.0 becomes 3', async () => {
  const { send } = await startCluster();

  const { status, body, text } = await send('POST', QUOTAS, replicaSet('3.0', '8e1'), YAML);

  expect([status, body.spec?.replicas]).toEqual([201, 3]);
  expect(text).toContain('"containerPort":80');
});

describe('whole numbers in patches of a built-in kind', () => {
  const patches: readonly [string, string, number][] = [
    ['application/merge-patch+json', '{"spec":{"replicas":2.0}}', 422],
    ['application/json-patch+json', '[{"op":"replace","path":"/spec/replicas","value":2e0}]', 422],
    [
      'application/json-patch+json',
      '[{"op":"add","path":"/spec/template/spec/containers/0/ports/0/hostPort","value":8.0e1}]',
      422,
    ],
    ['application/strategic-merge-patch+json', '{"spec":{"replicas":2.0}}', 200],
  ];

  test.each(
    patches,
  )('a whole number in a patch of type %s %s is answered %d', async (type, patch, code) => {
    const { send } = await startCluster();
    await send('POST', QUOTAS, replicaSet('3'));

    const { status, body } = await send('PATCH', `${QUOTAS}/r`, patch, { 'content-type': type });

    expect(status).toBe(code);
    if (code === 422)
      expect(body.message).toMatch(/cannot unmarshal number (2\.0|2e0|8\.0e1) into/);
    else expect(body.spec.replicas).toBe(2);
  });

  test('an apply accepts a whole number with a decimal point or an exponent, in JSON and YAML', async () => {
    const { send } = await startCluster();
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const path = `${QUOTAS}/r?fieldManager=m`;

    const json = await send('PATCH', path, replicaSet('4.0'), apply);
    const yaml = await send('PATCH', path, replicaSet('4.0').replace('4.0', '5e0'), apply);

    expect([json.status, json.body.spec.replicas]).toEqual([201, 4]);
    expect([yaml.status, yaml.body.spec.replicas]).toEqual([200, 5]);
  });
});

test('an integer field of a custom resource accepts 3.0 and returns it as an integer', async () => {
  const { send } = await startCluster();
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'tanks.numbers.test' },
    spec: {
      group: 'numbers.test',
      scope: 'Namespaced',
      names: { plural: 'tanks', kind: 'Tank' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                litres: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 500' }] },
              },
            },
          },
        },
      ],
    },
  });
  const tanks = '/apis/numbers.test/v1/namespaces/default/tanks';
  const tank = (name: string, litres: string): string =>
    `{"apiVersion":"numbers.test/v1","kind":"Tank","metadata":{"name":"${name}"},"litres":${litres}}`;

  const made = await send('POST', tanks, tank('a', '4.00e2'));
  const patched = await send('PATCH', `${tanks}/a`, '{"litres":30.0}');
  const many = await send('POST', tanks, tank('b', '5e2'));
  const broken = await send('POST', tanks, tank('b', '1.5'));

  expect(made.text).toContain('"litres":400,');
  expect([made.status, patched.body.litres]).toEqual([201, 30]);
  expect([many.status, broken.status]).toEqual([422, 422]);
});
