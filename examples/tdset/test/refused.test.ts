/** A Deployment that the API server refuses, for a reason that may pass, and what the TDSet says of it. */
import { findCondition, type KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { DENIALS, startRefusing } from '../../testing/refusing-line.ts';
import { tdset } from '../controller.ts';
import type { TDSet } from '../resource.ts';

const CRD = new URL('../crd.yaml', import.meta.url);
const API = 'schedule.rs/v1';

test('[real R-1] [real R-3] TD8: when a quota refuses the Deployment, the TDSet is Degraded, and the Deployment is created once the quota is gone', async () => {
  const controllers = [tdset({ createServices: false })];
  const place = await startRefusing(controllers, [CRD], /\/deployments/, DENIALS.quota);
  const { env, namespace } = place;
  const spec: TDSet['spec'] = {
    container: { image: 'nginx', port: 8000 },
    schedulingConfig: [{ startTime: 0, endTime: 24, replica: 2 }],
    defaultReplica: 3,
  };
  const metadata = { name: 'shop', namespace };
  await env.create({ apiVersion: API, kind: 'TDSet', metadata, spec } as KubernetesObject);
  const set = () => env.server.get(API, 'TDSet', namespace, 'shop') as TDSet | undefined;
  const degraded = () => findCondition(set()?.status?.conditions, 'Degraded');
  const deployment = () => env.server.get('apps/v1', 'Deployment', namespace, 'shop');

  await place.until(() => degraded()?.reason === 'Refused');
  await place.pass(15 * 60_000);
  const refused = degraded();
  const none = deployment();
  place.refuse(undefined);
  await place.until(() => deployment() !== undefined);
  await place.until(() => degraded()?.status === 'False');

  expect(none).toBeUndefined();
  expect(refused).toMatchObject({ status: 'True' });
  expect(refused?.message).toContain('exceeded quota: rq');
  expect(place.told('Refused')).toEqual([expect.stringContaining('exceeded quota: rq')]);
  expect(set()?.metadata.generation).toBe(1);
});
