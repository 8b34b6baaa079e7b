import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { podTemplate, servicePerPod } from './support/farm.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';

const FINALIZER = 'metacontroller.io/decoratorcontroller-service-per-pod';
const DECORATED = { 'metacontroller.k8s.io/decorator-controller': 'service-per-pod' };
const ASKED = { 'service-per-pod-label': 'pod-name', 'service-per-pod-ports': '80:8080' };

function statefulSet(name: string, annotations: object = ASKED): KubernetesObject {
  const selector = { matchLabels: { app: name } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, annotations },
    spec: { serviceName: name, replicas: 3, selector, template: podTemplate(name) },
  } as KubernetesObject;
}

test.each([
  ['webhook', 'v1'],
  ['webhook', 'v2'],
  ['exec', 'v2'],
  ['module', 'v1'],
] as const)('[contract 56] [contract 61] [contract 85] [metacontroller 3] [metacontroller 26] a StatefulSet has a Service per Pod until its annotation is removed (%s, %s)', async (mode, version) => {
  const place = await startMetacontroller({
    subjects: [servicePerPod(version)],
    mode,
    workloads: false,
  });
  await place.apply(statefulSet('web'));
  await place.apply(statefulSet('other', {}));
  const services = await eventually(async () => {
    const all = await servicesOf(place);
    return all.length === 3 && all;
  }, PATIENT);
  const decorated = await setOf(place, 'web');

  const metadata = { annotations: { 'service-per-pod-label': null } };
  await place.env.patch('apps/v1', 'StatefulSet', place.namespace, 'web', { metadata });
  await eventually(async () => (await servicesOf(place)).length === 0, PATIENT);
  await eventually(
    async () => (await setOf(place, 'web'))?.metadata.finalizers === undefined,
    PATIENT,
  );

  expect(services.map(({ metadata }) => metadata.name)).toEqual(['web-0', 'web-1', 'web-2']);
  expect(services[1]).toMatchObject({
    metadata: {
      labels: { app: 'service-per-pod' },
      annotations: DECORATED,
      ownerReferences: [
        { kind: 'StatefulSet', name: 'web', controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: {
      selector: { 'pod-name': 'web-1' },
      ports: [{ name: 'port-80', port: 80, targetPort: 8080 }],
    },
  });
  expect(decorated?.metadata.finalizers).toEqual([FINALIZER]);
  expect((await setOf(place, 'other'))?.metadata.finalizers).toBeUndefined();
});

function setOf(place: MetacontrollerPlace, name: string): Promise<KubernetesObject | undefined> {
  return place.env.get('apps/v1', 'StatefulSet', place.namespace, name);
}

function servicesOf(place: MetacontrollerPlace): Promise<readonly KubernetesObject[]> {
  return place.env.list('v1', 'Service', place.namespace);
}

test('[metacontroller 17] a deleted StatefulSet is removed once its Services are deleted', async () => {
  const place = await startMetacontroller({ subjects: [servicePerPod('v2')], workloads: false });
  await place.apply(statefulSet('web'));
  await eventually(async () => (await servicesOf(place)).length === 3, PATIENT);

  await place.env.delete('apps/v1', 'StatefulSet', place.namespace, 'web');
  await eventually(async () => (await setOf(place, 'web')) === undefined, PATIENT);

  expect(await servicesOf(place)).toEqual([]);
  const calls = place.server.calls('/service-per-pod/finalize');
  expect(calls.every(({ body }) => body.finalizing)).toBe(true);
  expect(Object.keys(calls[0]?.body.attachments['Service.v1'] ?? {})).toEqual(
    ['web-0', 'web-1', 'web-2'].map((name) => `${place.namespace}/${name}`),
  );
});
