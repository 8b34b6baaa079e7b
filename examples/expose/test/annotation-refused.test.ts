/** The annotation `expose`, where the API server refuses the Ingress for a reason that may pass. */

import { service } from '@chancery/testing';
import type { Service } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { DENIALS, startRefusing } from '../../testing/refusing-line.ts';
import { exposeByAnnotation } from '../annotation/controller.ts';

test('[real R-1] when a policy refuses the Ingress, the Service reports it, and is exposed once the policy is gone', async () => {
  const place = await startRefusing([exposeByAnnotation], [], /\/ingresses/, DENIALS.policy);
  const { env, namespace } = place;
  await env.create(service('web', { namespace, annotations: { expose: '/' } }));
  const live = () => env.server.get('v1', 'Service', namespace, 'web') as Service | undefined;
  const problem = () => live()?.metadata.annotations?.['expose.problem'];
  const ingress = () => env.server.get('networking.k8s.io/v1', 'Ingress', namespace, 'web');

  await place.until(() => problem() !== undefined);
  await place.pass(15 * 60_000);
  const told = problem();
  const none = ingress();
  place.refuse(undefined);
  await place.until(() => ingress() !== undefined);
  await place.until(() => problem() === undefined);

  expect(none).toBeUndefined();
  expect(told).toContain('IngressRejected: 422 Invalid: ');
  expect(told).toContain("ValidatingAdmissionPolicy 'team'");
  expect(place.told('IngressRejected')).toHaveLength(1);
});
