import { deployment, eventually } from 'chancery/testing';
import { expect, test } from 'vitest';
import { complaints, SAMPLE, startFoos } from './foo-place.ts';

test('acceptance 1, 3 and 4: a Foo makes a Deployment, scales it, and takes it with it', async () => {
  const place = await startFoos();

  await place.apply(SAMPLE);
  const foo = await place.told('Synced');
  const made = await place.deployment();
  await eventually(async () => (await place.count('Synced')) > 0);
  await place.edit({ replicas: 3 });
  const scaled = await eventually(async () => {
    const live = await place.told('Synced');
    return live.status?.availableReplicas === 3 && live;
  });
  const larger = await place.deployment();
  await place.kubectl('delete', 'foo', 'example-foo');
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
  expect((await place.events('Synced'))[0]).toEqual({
    type: 'Normal',
    reason: 'Synced',
    note: 'Foo synced successfully',
  });
  expect(larger?.spec.replicas).toBe(3);
  expect(scaled.status?.observedGeneration).toBe(2);
  expect(complaints(place)).toEqual([]);
});

test('acceptance 2: a Deployment of somebody else stays as it is, and the exact Event says so', async () => {
  const place = await startFoos();
  const { env, namespace } = place;
  const foreign = await env.create(deployment('example-foo', { namespace }));

  await place.apply(SAMPLE);
  const foo = await place.told('ErrResourceExists');
  await eventually(async () => (await place.count('ErrResourceExists')) > 0);
  await place.touch();
  await place.touch();

  const note = 'Resource "example-foo" already exists and is not managed by Foo';
  expect(await place.events()).toContainEqual({
    type: 'Warning',
    reason: 'ErrResourceExists',
    note,
  });
  expect(await place.count('ErrResourceExists')).toBe(1);
  expect(foo.status).toMatchObject({
    availableReplicas: 0,
    conditions: [{ type: 'Ready', status: 'False', message: note }],
  });
  const { metadata } = (await place.deployment()) ?? {};
  expect(metadata).toMatchObject({ uid: foreign.metadata.uid, generation: 1 });
  expect(metadata?.ownerReferences).toBeUndefined();
  expect(place.writes()).toEqual(['patch foos.samplecontroller.k8s.io status']);
});

test('a Foo that waits for a name gets it as soon as the Deployment that had it is gone', async () => {
  const place = await startFoos();
  const { env, namespace } = place;
  await env.create(deployment('example-foo', { namespace }));
  await place.apply(SAMPLE);
  await place.told('ErrResourceExists');

  await env.delete('apps/v1', 'Deployment', namespace, 'example-foo');
  const foo = await place.told('Synced');

  expect((await place.deployment())?.metadata.ownerReferences).toMatchObject([
    { uid: foo.metadata.uid, controller: true },
  ]);
});

test('of two Foos that want one name the second has it when the first takes another', async () => {
  const place = await startFoos();
  await place.apply(SAMPLE);
  await place.told('Synced');
  await place.createFoo('second', { deploymentName: 'example-foo' });
  await place.told('ErrResourceExists', 'second');

  await place.edit({ deploymentName: 'other' });
  const second = await place.told('Synced', 'second');
  await place.told('Synced');

  const controllers = async (name: string) =>
    (await place.deployment(name))?.metadata.ownerReferences?.map(({ name }) => name);
  expect(await controllers('example-foo')).toEqual([second.metadata.name]);
  expect(await controllers('other')).toEqual(['example-foo']);
});

test('a Foo that is deleted while the operator is down leaves nothing', async () => {
  const place = await startFoos();
  await place.apply(SAMPLE);
  await place.told('Synced');
  await place.operator.stop();

  await place.kubectl('delete', 'foo', 'example-foo');
  await eventually(async () => (await place.deployment()) === undefined);
  place.startOperator();
  await place.operator.untilReady();
  await place.createFoo('next', { deploymentName: 'next' });
  await place.told('Synced', 'next');

  expect(await place.deployment()).toBeUndefined();
});
