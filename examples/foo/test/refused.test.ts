/** A Deployment that the API server refuses, for a reason that may pass, and what the Foo says of it. */
import type { Deployment } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { DENIALS, startRefusing } from '../../testing/refusing-line.ts';
import type { Foo } from '../definition.ts';
import operator from '../operator.ts';
import { API, CRD } from './foo-place.ts';

const DEPLOYMENTS = /\/deployments/;
const MINUTE_MS = 60_000;

async function start(denial: Parameters<typeof startRefusing>[3]) {
  const place = await startRefusing([operator], [CRD], DEPLOYMENTS, denial);
  const { env, namespace } = place;
  const metadata = { name: 'example-foo', namespace };
  const spec = { deploymentName: 'example-foo', replicas: 1 };
  await env.create({ apiVersion: API, kind: 'Foo', metadata, spec } as Foo);
  const foo = () => env.server.get(API, 'Foo', namespace, 'example-foo') as Foo | undefined;
  return {
    ...place,
    foo,
    reason: () => foo()?.status?.conditions?.[0]?.reason,
    deployment: () =>
      env.server.get('apps/v1', 'Deployment', namespace, 'example-foo') as Deployment | undefined,
  };
}

test.each(
  Object.entries(DENIALS),
)('[real R-1] [real R-3] when a %s refuses the Deployment, the Foo reports it, and later gets the Deployment without a change of the Foo', async (_, denial) => {
  const place = await start(denial);

  await place.until(() => place.reason() === 'DeploymentRefused');
  await place.pass(100 * MINUTE_MS);
  const refused = place.foo();
  const attempts = place.refusals();
  const none = place.deployment();
  place.refuse(undefined);
  await place.until(() => place.deployment() !== undefined, 10 * MINUTE_MS);
  await place.until(() => place.reason() === 'WaitingForReplicas');

  expect(none).toBeUndefined();
  expect(refused?.status?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False' });
  expect(refused?.status?.conditions?.[0]?.message).toContain(denial.message);
  expect(place.told('DeploymentRefused')).toEqual([expect.stringContaining(denial.message)]);
  expect(attempts).toBeLessThan(40);
  expect(place.foo()?.metadata.generation).toBe(1);
});

test('[real R-1] a refusal by a schema is retried after 54 to 66 minutes', async () => {
  const place = await start({
    code: 422,
    reason: 'Invalid',
    message: 'Deployment.apps "example-foo" is invalid: spec.template: Required value',
    details: { causes: [{ reason: 'FieldValueRequired', field: 'spec.template' }] },
  });

  await place.until(() => place.reason() === 'DeploymentInvalid');
  place.refuse(undefined);
  await place.pass(53 * MINUTE_MS);
  const early = place.deployment();
  await place.until(() => place.deployment() !== undefined, 14 * MINUTE_MS);

  expect(early).toBeUndefined();
  expect(place.told('DeploymentInvalid')).toHaveLength(1);
});
