/** What `customResource` makes is what the API server does with it. */

import type { TestEnv } from '@chancery/testing';
import { eventually, startOperator, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../operator/client/connection.ts';
import { controller } from '../../operator/controller/controller.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { resourceQuotas } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { CustomResource } from '../../operator/schema/custom-resource.ts';
import { customResource, Type, withRules } from '../../operator/schema.ts';
import { websites } from './website.ts';

async function envWith(resource: CustomResource): Promise<TestEnv> {
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  await env.apply(resource.definition);
  return env;
}

function website(name: string, spec: object, more: object = {}): KubernetesObject {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'example.dev/v1', kind: 'Website', metadata, spec, ...more } as never;
}

async function json(env: TestEnv, path: string, init: RequestInit = {}): Promise<unknown> {
  return (await fetch(env.url + path, init)).json();
}

const PATH = '/apis/example.dev/v1/namespaces/default/websites';

test('the API server stores a definition as it was declared', async () => {
  const env = await envWith(websites);

  const stored = await env.get(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    undefined,
    'websites.example.dev',
  );

  expect(stored).toMatchObject({
    spec: { ...websites.definition.spec, conversion: { strategy: 'None' } },
  });
});

test('a definition in a group of the Kubernetes project needs the approval annotation', async () => {
  const { definition } = customResource({
    group: 'example.k8s.io',
    version: 'v1',
    kind: 'Website',
    apiApproved: 'unapproved, a test',
    spec: Type.Object({}),
  });
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const silent = { ...definition, metadata: { name: definition.metadata.name } };

  const refused = env.create(silent);

  await expect(refused).rejects.toThrow('metadata.annotations[api-approved.kubernetes.io]');
  await expect(env.create(definition)).resolves.toMatchObject({ metadata: definition.metadata });
});

test('an object gets its defaults and loses fields that its schema does not have', async () => {
  const env = await envWith(websites);

  const created = await env.create(
    website('a', { image: 'nginx', unknown: 1, ports: [{ name: 'http', port: 80, more: 2 }] }),
  );

  expect(created).toMatchObject({
    spec: {
      image: 'nginx',
      replicas: 1,
      tier: 'free',
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
  });
  expect(JSON.stringify(created)).not.toMatch(/"(?:unknown|more)":/);
});

test('an amount that is declared as a number is passed to a built-in kind unchanged, and is written only once', async () => {
  const env = await envWith(websites);
  const seen = new Set<string>();
  const quotas = controller({
    name: 'quotas',
    for: websites,
    owns: [resourceQuotas],
    async reconcile(site, { applyOwned }) {
      const hard = { 'limits.memory': site.spec.memory ?? 0 };
      await applyOwned(resourceQuotas, { metadata: { name: site.metadata.name }, spec: { hard } });
      seen.add(site.spec.image);
    },
  });
  await env.create(website('a', { image: 'nginx', memory: 2 }));
  const operator = startOperator({ url: env.url, namespace: 'default', controllers: [quotas] });
  onTestFinished(() => operator.stop());
  await eventually(() => seen.has('nginx'));

  await env.patch('example.dev/v1', 'Website', 'default', 'a', { spec: { image: 'nginx:2' } });
  await eventually(() => seen.has('nginx:2'));

  const quota = await env.get('v1', 'ResourceQuota', 'default', 'a');
  expect(quota).toMatchObject({ spec: { hard: { 'limits.memory': '2' } } });
  const writes = env.requests.of({ resource: 'resourcequotas' });
  expect(writes.map(({ verb }) => verb).filter((verb) => !READS.includes(verb))).toEqual([
    'create',
  ]);
});

const READS = ['get', 'list', 'watch'];

test('the API server evaluates rules on the spec and on the whole object', async () => {
  const env = await envWith(websites);

  const tooMany = env.create(website('a', { image: 'nginx', replicas: 4 }));
  const named = env.create(website('forbidden', { image: 'nginx' }));

  await expect(tooMany).rejects.toThrow(
    'spec.replicas: Invalid value: the free tier has three replicas',
  );
  await expect(named).rejects.toThrow('any other name');
});

test('printer columns show the values at their paths', async () => {
  const env = await envWith(websites);
  await env.create(website('a', { image: 'nginx', replicas: 2 }));

  const table = await json(env, PATH, {
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });

  expect(table).toMatchObject({
    columnDefinitions: [
      { name: 'Name' },
      { name: 'Replicas', type: 'integer' },
      { name: 'Tier', priority: 1 },
      { name: 'Ready', type: 'string' },
      { name: 'Age', type: 'date' },
    ],
    rows: [{ cells: ['a', 2, 'free', null, expect.any(String)] }],
  });
});

test('status and scale are subresources', async () => {
  const env = await envWith(websites);
  await env.create(website('a', { image: 'nginx' }, { status: { replicas: 7 } }));

  await env.patch(
    'example.dev/v1',
    'Website',
    'default',
    'a',
    { spec: { replicas: 5 }, status: { replicas: 3, selector: 'app=a' } },
    'status',
  );
  const scale = await json(env, `${PATH}/a/scale`);

  expect(scale).toMatchObject({
    spec: { replicas: 1 },
    status: { replicas: 3, selector: 'app=a' },
  });
});

test('conditions are a list map within the limits of the API conventions', async () => {
  const env = await envWith(websites);
  await env.create(website('a', { image: 'nginx' }));
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Done',
    message: '',
    lastTransitionTime: '2026-01-02T03:04:05Z',
    observedGeneration: 1,
  };
  const write = (conditions: object[]): Promise<KubernetesObject> =>
    env.patch('example.dev/v1', 'Website', 'default', 'a', { status: { conditions } }, 'status');

  const written = await write([condition]);

  expect(written).toMatchObject({ status: { replicas: 0, conditions: [condition] } });
  await expect(write([condition, condition])).rejects.toThrow('status.conditions[1]: Duplicate');
  await expect(write([{ ...condition, reason: 'not a word' }])).rejects.toThrow('reason');
  await expect(write([{ ...condition, status: 'Yes' }])).rejects.toThrow('status');
});

test('objects can be selected by the declared selectable fields', async () => {
  const env = await envWith(websites);
  await env.create(website('a', { image: 'nginx' }));
  await env.create(website('b', { image: 'nginx', tier: 'paid' }));

  const answer = await json(env, `${PATH}?fieldSelector=spec.tier%3Dpaid`);

  expect(answer).toMatchObject({ items: [{ metadata: { name: 'b' } }] });
  expect((answer as { items: unknown[] }).items).toHaveLength(1);
});

test('discovery shows short names and categories', async () => {
  const env = await envWith(websites);

  const discovery = await json(env, '/apis/example.dev/v1');

  expect(discovery).toMatchObject({
    resources: expect.arrayContaining([
      expect.objectContaining({ name: 'websites', shortNames: ['web'], categories: ['all'] }),
    ]),
  });
});

test('a custom resource works with a client like a built-in resource', async () => {
  const env = await envWith(websites);
  const connection = connect(env.url, { clock: systemClock });
  onTestFinished(() => connection.close());
  const client = connection.clientFor('test');

  const created = await client.create(websites, {
    apiVersion: 'example.dev/v1',
    kind: 'Website',
    metadata: { name: 'a', namespace: 'default' },
    spec: { image: 'nginx', replicas: 1, tier: 'free' },
  });
  const [listed] = await client.list(websites);

  expect(created.spec.tier).toBe('free');
  expect(listed).toEqual(created);
});

test('versions other than the stored one are served with their own schema and warning', async () => {
  const versioned = customResource({
    group: 'example.dev',
    version: 'v1',
    kind: 'Website',
    spec: Type.Object({ image: Type.String() }),
    otherVersions: [
      {
        version: 'v1beta1',
        deprecated: 'example.dev/v1beta1 Website goes with release 2',
        spec: Type.Object({ image: Type.String(), tag: Type.Optional(Type.String()) }),
      },
      { version: 'v1alpha1', served: false, spec: Type.Object({}) },
    ],
  });
  const env = await envWith(versioned);

  await env.create(website('a', { image: 'nginx' }));
  const answer = await fetch(env.url + PATH.replace('/v1/', '/v1beta1/'));
  const missing = await fetch(env.url + PATH.replace('/v1/', '/v1alpha1/'));

  expect(answer.headers.get('warning')).toContain('goes with release 2');
  expect(await answer.json()).toMatchObject({ items: [{ apiVersion: 'example.dev/v1beta1' }] });
  expect(missing.status).toBe(404);
});

test('the default of an object is applied together with defaults inside it', async () => {
  const nested = customResource({
    group: 'example.dev',
    version: 'v1',
    kind: 'Website',
    spec: Type.Object(
      { server: Type.Object({ port: Type.Integer({ default: 80 }) }, { default: {} }) },
      { default: {} },
    ),
  });
  const env = await envWith(nested);

  const { spec: _, ...withoutSpec } = website('a', {}) as KubernetesObject & { spec: unknown };
  const created = await env.create(withoutSpec);

  expect(created).toMatchObject({ spec: { server: { port: 80 } } });
});

test('transition rules work with a message, a reason and a field path', async () => {
  const host = withRules(Type.String(), [
    {
      rule: 'self == oldSelf',
      messageExpression: "'the host stays ' + oldSelf",
      reason: 'FieldValueForbidden',
    },
  ]);
  const range = withRules(
    Type.Object({ min: Type.Integer({ default: 0 }), max: Type.Integer({ default: 1 }) }),
    [{ rule: 'self.min <= self.max', fieldPath: '.max', message: 'is below min' }],
  );
  const spec = Type.Object({ host, range: Type.Optional(range) });
  const ruled = customResource({ group: 'example.dev', version: 'v1', kind: 'Website', spec });
  const env = await envWith(ruled);
  await env.create(website('a', { host: 'one' }));

  const moved = env.patch('example.dev/v1', 'Website', 'default', 'a', { spec: { host: 'two' } });
  const reversed = env.create(website('b', { host: 'b', range: { min: 5 } }));

  await expect(moved).rejects.toThrow('spec.host: Forbidden: the host stays one');
  await expect(reversed).rejects.toThrow('spec.range.max: Invalid value: is below min');
});
