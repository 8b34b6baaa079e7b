import { deployment, eventually, ownerReference } from '@chancery/testing';
import { expect, test } from 'vitest';
import { API, complaints, SAMPLE, startFoos } from './foo-place.ts';

test('FO2, acceptance 6: after the name of the Deployment is changed, the old Deployment is removed, even if the operator was down', async () => {
  const place = await startFoos();
  const { env, namespace } = place;
  await place.apply(SAMPLE);
  await place.because('Synced');

  await place.edit({ deploymentName: 'renamed' });
  await eventually(async () => (await place.deployment()) === undefined);
  await place.because('Synced');
  await place.operator.stop();
  await place.edit({ deploymentName: 'again' });
  place.startOperator();
  await eventually(async () => (await place.deployment('renamed')) === undefined);
  await place.because('Synced');
  const last = await place.deployment('again');
  await place.operator.stop();
  await env.delete(API, 'Foo', namespace, 'example-foo');
  await eventually(async () => (await place.deployment('again')) === undefined);

  expect(last?.spec.replicas).toBe(1);
  expect(complaints(place)).toEqual([]);
});

test('FO2: a Foo keeps its old Deployment as long as the new Deployment cannot be created', async () => {
  const place = await startFoos();
  await place.apply(SAMPLE);
  await place.createFoo('second', { deploymentName: 'second' });
  await Promise.all([place.because('Synced'), place.because('Synced', 'second')]);
  const kept = await place.deployment('second');

  await place.edit({ deploymentName: 'example-foo' }, 'second');
  const blocked = await place.because('ErrResourceExists', 'second');
  const still = await place.deployment('second');
  await place.edit({ deploymentName: 'other' });
  await place.because('Synced', 'second');
  await eventually(async () => (await place.deployment('second')) === undefined);

  expect(blocked.status?.availableReplicas).toBe(1);
  expect(still?.metadata.uid).toBe(kept?.metadata.uid);
  const controllers = async (name: string) =>
    (await place.deployment(name))?.metadata.ownerReferences?.map((owner) => owner.name);
  expect(await controllers('example-foo')).toEqual(['second']);
  expect(await controllers('other')).toEqual(['example-foo']);
});

test('FO3: an unchanged Foo causes no write and no Event, even after a restart', async () => {
  const place = await startFoos();
  await place.apply(SAMPLE);
  await place.because('Synced');
  await place.touch(); // whatever the Pods have led to comes before it
  await place.operator.stop(); // and has told all it had to
  const told = await place.count('Synced');

  place.startOperator();
  await place.touch(); // a process that remembers nothing applies once, without effect
  const before = place.writes();
  await place.touch();
  await place.touch();
  await place.operator.stop();

  expect(told).toBeGreaterThan(0);
  expect(place.writes()).toEqual(before);
  expect(await place.count('Synced')).toBe(told);
});

test('FO4: an edited template is restored, and replicas that the Foo does not set are not changed', async () => {
  const place = await startFoos();
  const { env, namespace } = place;
  await place.createFoo('example-foo', { deploymentName: 'example-foo' });
  await place.because('Synced');
  const bent = { containers: [{ name: 'nginx', image: 'busybox:1' }] };

  const spec = { replicas: 2, template: { spec: bent } };
  await env.patch('apps/v1', 'Deployment', namespace, 'example-foo', { spec });
  const mended = await eventually(async () => {
    const live = await place.deployment();
    return live?.spec.template.spec?.containers[0]?.image !== 'busybox:1' && live;
  });

  expect(mended.spec.replicas).toBe(2);
});

test('FO5: the image has a version, even in a Deployment that the original operator created', async () => {
  const place = await startFoos({ stopped: true });
  const { env, namespace } = place;
  const foo = await place.createFoo('example-foo', { deploymentName: 'example-foo', replicas: 2 });
  const made = deployment('example-foo', {
    namespace,
    podLabels: { app: 'nginx', controller: 'example-foo' },
    podSpec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] },
    ownerReferences: [ownerReference(foo)],
  });
  const original = await env.create(made);

  place.startOperator();
  await eventually(async () => (await place.foo())?.status?.availableReplicas === 2);
  const live = await place.deployment();

  expect(live?.metadata.uid).toBe(original.metadata.uid);
  expect(live?.spec.template.spec?.containers).toMatchObject([{ image: 'nginx:1.29' }]);
});
