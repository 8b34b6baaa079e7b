import { deployment, eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { API, complaints, SAMPLE, startFoos } from './foo-place.ts';

test('acceptance 1, 3 and 4: a Foo creates a Deployment, scales it, and is deleted together with it', async () => {
  const place = await startFoos();
  const { env, namespace } = place;

  await place.apply(SAMPLE);
  const foo = await place.because('Synced');
  const made = await place.deployment();
  await eventually(async () => (await place.count('Synced')) > 0);
  await place.edit({ replicas: 3 });
  const scaled = await eventually(async () => {
    const live = await place.because('Synced');
    return live.status?.availableReplicas === 3 && live;
  });
  const larger = await place.deployment();
  await env.delete(API, 'Foo', namespace, 'example-foo');
  await eventually(async () => (await place.deployment()) === undefined);

  expect(made).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Foo', uid: foo.metadata.uid, controller: true }] },
    spec: {
      replicas: 1,
      template: { metadata: { labels: { app: 'nginx', controller: 'example-foo' } } },
    },
  });
  expect(foo.status).toMatchObject({
    availableReplicas: 1,
    conditions: [{ type: 'Ready', status: 'True', message: '1 of 1 replicas are available' }],
  });
  expect((await place.told('Synced'))[0]).toEqual({
    type: 'Normal',
    reason: 'Synced',
    note: 'Foo synced successfully',
  });
  expect(larger?.spec.replicas).toBe(3);
  expect(scaled.status?.observedGeneration).toBe(2);
  expect(complaints(place)).toEqual([]);
});

test('acceptance 2: a foreign Deployment is not changed, and its name is used once the Deployment is gone', async () => {
  const place = await startFoos();
  const { env, namespace } = place;
  const foreign = await env.create(deployment('example-foo', { namespace }));

  await place.apply(SAMPLE);
  const blocked = await place.because('ErrResourceExists');
  await eventually(async () => (await place.count('ErrResourceExists')) > 0);
  const labelled = { metadata: { labels: { touched: 'yes' } } };
  await env.patch('apps/v1', 'Deployment', namespace, 'example-foo', labelled);
  await place.idle();
  await place.operator.stop();
  place.startOperator(); // what was told is in the Foo
  await place.idle();
  const { metadata } = (await place.deployment()) ?? {};
  const writes = place.writes();
  await env.delete('apps/v1', 'Deployment', namespace, 'example-foo');
  const foo = await place.because('Synced');

  const note = 'Resource "example-foo" already exists and is not managed by Foo';
  const told = { type: 'Warning', reason: 'ErrResourceExists', note };
  expect(await place.told('ErrResourceExists')).toEqual([told]);
  expect(await place.count('ErrResourceExists')).toBe(1);
  expect(blocked.status).toMatchObject({
    availableReplicas: 0,
    conditions: [{ type: 'Ready', status: 'False', message: note }],
  });
  expect(metadata).toMatchObject({ uid: foreign.metadata.uid, generation: 1 });
  expect(metadata?.ownerReferences).toBeUndefined();
  expect(writes).toEqual(['patch foos.samplecontroller.k8s.io status']);
  expect((await place.deployment())?.metadata.ownerReferences).toMatchObject([
    { uid: foo.metadata.uid, controller: true },
  ]);
});
