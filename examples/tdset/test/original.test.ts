/** The operator takes over where the original was installed. */

import { eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { CustomResourceDefinition, Deployment } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import type { TDSet } from '../resource.ts';
import { startTDSets } from './support/tdset-place.ts';

const original = (file: string): URL => new URL(`original/${file}`, import.meta.url);
const own = new URL('../crd.yaml', import.meta.url);

test("acceptance 6: the original operator's definition and example are applied unchanged, and existing objects are taken over", async () => {
  const place = await startTDSets({
    allNamespaces: true,
    stopped: true,
    manifests: [original('crd.yaml'), original('operator.yaml')],
  });
  const { env } = place;
  const temp = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'temp' } };
  await env.apply([temp as KubernetesObject]);
  await env.apply(original('tdset.yaml'));
  const live = () => env.get<TDSet>('schedule.rs/v1', 'TDSet', 'temp', 'tdset-hello-world');
  const before = await live();

  await env.apply(own);
  place.startOperator();
  const deployment = await eventually(() =>
    env.get<Deployment>('apps/v1', 'Deployment', 'temp', 'tdset-hello-world'),
  );
  await eventually(async () => ((await live())?.status?.conditions ?? []).length > 0);

  const definition = await env.get<CustomResourceDefinition>(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    undefined,
    'tdsets.schedule.rs',
  );
  expect(definition?.spec.versions.map(({ name, storage }) => ({ name, storage }))).toEqual([
    { name: 'v1', storage: true },
  ]);
  expect((await live())?.metadata.uid).toBe(before?.metadata.uid);
  expect((await live())?.spec).toEqual(before?.spec);
  expect(deployment).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'TDSet', name: 'tdset-hello-world', controller: true }] },
    spec: { template: { spec: { containers: [{ image: 'crccheck/hello-world' }] } } },
  });
});
