/** docs/coming-from/kopf.md: the operator for a CustomResourceDefinition of one's own, also with objects that kopf had. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  eventually,
  FakeClock,
  startOperator,
  startTestEnv,
  type TestEnv,
} from '@chancery/testing';
import type { Controller } from 'chancery';
import { persistentVolumeClaims } from 'chancery/kubernetes';
import type { CustomResource } from 'chancery/schema';
import { expect, test } from 'vitest';
import { exampleFolder, examplesIn, guide } from './guide.ts';

interface Example {
  readonly claims: CustomResource;
  readonly default: readonly [volumeClaims: Controller, tick: Controller];
}

/** What the block `claims.ts` of the page exports. */
async function exampleOfPage(): Promise<Example> {
  const folder = exampleFolder();
  writeFileSync(
    join(folder, 'claims.ts'),
    examplesIn(guide('coming-from/kopf.md')).get('claims.ts') ?? '',
  );
  return import(/* @vite-ignore */ join(folder, 'claims.ts')) as Promise<Example>;
}

interface Place {
  readonly env: TestEnv;
  readonly namespace: string;
  /** The size and the labels of the PersistentVolumeClaim. */
  readonly volume: () => Promise<{ readonly size: unknown; readonly labels: unknown }>;
}

async function placeIn(env: TestEnv): Promise<Place> {
  const namespace = await env.namespace();
  const volume = async () => {
    const found = await env.get(persistentVolumeClaims, namespace, 'data');
    return { size: found?.spec?.resources?.requests?.storage, labels: found?.metadata.labels };
  };
  return { env, namespace, volume };
}

const claim = (namespace: string, spec: object, labels: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Claim',
  metadata: { name: 'data', namespace, labels: { ...labels } },
  spec,
});

test('a Claim gets a status and a PersistentVolumeClaim that follows its size and its labels', async () => {
  const {
    claims,
    default: [volumeClaims],
  } = await exampleOfPage();
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  await using env = await startTestEnv({ embedded: { clock }, install: [claims] });
  const { namespace, volume } = await placeIn(env);
  const controllers = [volumeClaims];
  await using operator = startOperator({ url: env.url, namespace, controllers, clock });
  const patch = (change: object) => env.patch('example.com/v1', 'Claim', namespace, 'data', change);

  await env.create(claim(namespace, { size: '1Gi' }, { team: 'a' }));
  await env.advance(1_000);
  expect(await volume()).toEqual({ size: '1Gi', labels: { team: 'a' } });
  // As in the guide of the test kit: nothing binds volumes here, and only a bound one may grow.
  expect(guide('guides/test/testing.md')).toContain(
    "env.patch('v1', 'PersistentVolumeClaim', namespace, name, { status: { phase: 'Bound' } }, 'status')",
  );
  const bound = { status: { phase: 'Bound' } };
  await env.patch('v1', 'PersistentVolumeClaim', namespace, 'data', bound, 'status');
  await patch({ spec: { size: '2Gi' } });
  await env.advance(1_000);
  expect((await volume()).size).toBe('2Gi');
  await patch({ metadata: { labels: { team: 'b' } } });
  await env.advance(1_000);
  expect((await volume()).labels).toEqual({ team: 'b' });

  const found = await env.get(claims, namespace, 'data');
  expect(found).toMatchObject({ status: { volumeClaim: 'data' } });
  expect(operator.log.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a Claim without a size is reported as an error, and gets no PersistentVolumeClaim', async () => {
  const {
    claims,
    default: [volumeClaims],
  } = await exampleOfPage();
  await using env = await startTestEnv({ install: [claims] });
  const { namespace } = await placeIn(env);
  await using operator = startOperator({ url: env.url, namespace, controllers: [volumeClaims] });

  await env.create(claim(namespace, {}));

  await eventually(() =>
    operator.log.some(({ level, fields: { err } }) => {
      return level === 'error' && err instanceof Error && err.message === 'spec.size must be set';
    }),
  );
  expect(await env.get(persistentVolumeClaims, namespace, 'data')).toBeUndefined();
});

test('a label that the Python client wrote is removed if the Claim does not have this label', async () => {
  const {
    claims,
    default: [volumeClaims],
  } = await exampleOfPage();
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  await using env = await startTestEnv({ embedded: { clock }, install: [claims] });
  const { namespace, volume } = await placeIn(env);
  await env.create(claim(namespace, { size: '1Gi' }, { new: '1' }));
  const made = await env.get(claims, namespace, 'data');
  // What kopf.adopt writes.
  const { name, uid } = made?.metadata ?? {};
  const owner = { apiVersion: 'example.com/v1', kind: 'Claim', name, uid };
  const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  const answer = await fetch(`${env.url}${path}?fieldManager=OpenAPI-Generator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({
      metadata: { name: 'data', labels: { old: '1' }, ownerReferences },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
  });
  expect(answer.status).toBe(201);

  const controllers = [volumeClaims];
  await using _ = startOperator({ url: env.url, namespace, controllers, clock });
  await env.advance(1_000);

  expect((await volume()).labels).toEqual({ new: '1' });
});

test('the timer ticks once a minute for each object', async () => {
  const {
    claims,
    default: [, tick],
  } = await exampleOfPage();
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  await using env = await startTestEnv({ embedded: { clock }, install: [claims] });
  const { namespace } = await placeIn(env);
  await using operator = startOperator({ url: env.url, namespace, controllers: [tick], clock });
  await env.create(claim(namespace, { size: '1Gi' }));

  await env.advance(1_000);
  await env.advance(180_000);

  expect(operator.log.filter(({ message }) => message === 'tick')).toHaveLength(4);
});
