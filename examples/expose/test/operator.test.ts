/** What jenkins-x/exposecontroller promises, against an API server. */

import { configMap, deployment, eventually } from '@chancery/testing';
import type { Deployment } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import type { Place } from '../../testing/place.ts';
import { annotate, createService, dataOf, ingress, start, urlOf } from './support/jenkins-x.ts';

/** But for the ConfigMap that refuses each. */
const ownWrites = (place: Place): readonly string[] =>
  place.writes().filter((write) => write !== 'patch configmaps');

const SUCCESSES = ['exposecontroller', 'exposecontroller-ingress'].map(
  (name) => `controller_runtime_reconcile_total{controller="${name}",result="success"}`,
);

test('acceptance C2, C2-4, C2-9: a Service gets its host, its URL, its ConfigMaps and Deployments, and a changed port takes effect', async () => {
  const place = await start({ exposer: 'Ingress', domain: 'example.org' });
  const { env, namespace } = place;
  const host = `svc.${namespace}.example.org`;
  const key = 'service-key.config.fabric8.io/svc';
  await env.create(
    configMap('svc', {
      namespace,
      annotations: { 'expose.config.fabric8.io/url-key': 'service.url' },
    }),
  );
  await env.create(
    configMap('two', { namespace, annotations: { [`expose-no-protocol.${key}`]: 'k' } }),
  );
  await env.create(configMap('zoo', { namespace, annotations: { [`expose.${key}`]: 'k' } }));
  await env.create(
    deployment('reader', {
      namespace,
      annotations: { 'configmap.fabric8.io/update-on-change': 'other,svc' },
    }),
  );
  const fixed = { namespace, annotations: { [`expose-full.${key}`]: 'k' } };
  await env.create({ ...configMap('fixed', fixed), immutable: true });
  await createService(place, 'svc');

  await eventually(async () => (await urlOf(place, 'svc')) === `http://${host}`);
  const made = await ingress(place, 'svc');
  expect(made?.spec?.rules?.map((rule) => rule.host)).toEqual([host]);
  expect(made?.metadata).toMatchObject({
    labels: { provider: 'fabric8' },
    annotations: { 'fabric8.io/generated-by': 'exposecontroller' },
    ownerReferences: [{ kind: 'Service', name: 'svc' }],
  });
  await eventually(async () => (await dataOf(place, 'zoo'))?.k === `http://${host}`);
  expect(await dataOf(place, 'two')).toEqual({ k: host });
  expect(await dataOf(place, 'svc')).toEqual({ 'service.url': `http://${host}` });
  const env0 = await eventually(async () => {
    const rolled = await env.get<Deployment>('apps/v1', 'Deployment', namespace, 'reader');
    return rolled?.spec?.template.spec?.containers[0]?.env?.[0];
  });
  expect(env0).toMatchObject({ name: 'FABRIC8_SVC_CONFIGMAP' });
  expect(env0.value, 'C2-9: a digest, not the text').toMatch(/^[0-9a-f]{64}$/);

  const ports = [80, 9090].map((port) => ({ name: `p${port}`, port }));
  await env.patch('v1', 'Service', namespace, 'svc', { spec: { ports } });
  await annotate(place, 'svc', { 'fabric8.io/exposePort': '9090' });
  await eventually(async () => {
    const [path] = (await ingress(place, 'svc'))?.spec?.rules?.[0]?.http?.paths ?? [];
    return path?.backend.service?.port?.number === 9090;
  });
  expect((await ingress(place, 'svc'))?.metadata.uid, 'C2-4').toBe(made?.metadata.uid);
  await place.told('InjectionRejected');

  await place.operator.stop();
  const before = ownWrites(place);
  const again = place.startOperator();
  await eventually(() => SUCCESSES.every((series) => Number(again.meter.snapshot()[series]) > 0));
  expect(ownWrites(place), 'nothing is written that does not differ').toEqual(before);
});
