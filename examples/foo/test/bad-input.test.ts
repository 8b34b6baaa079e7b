import { eventually } from 'chancery/testing';
import { expect, test } from 'vitest';
import { startFoos } from './foo-place.ts';

test('a Foo without a name for its Deployment is told so once, and nothing is made', async () => {
  const place = await startFoos();

  await place.createFoo('nameless');
  const foo = await place.told('DeploymentNameMissing', 'nameless');
  await eventually(async () => (await place.count('DeploymentNameMissing')) > 0);
  await place.touch('nameless');

  expect(foo.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
  expect(await place.events()).toEqual([
    {
      type: 'Warning',
      reason: 'DeploymentNameMissing',
      note: 'spec.deploymentName must be specified',
    },
  ]);
  expect(await place.count('DeploymentNameMissing')).toBe(1);
  expect(place.writes()).toEqual(['patch foos.samplecontroller.k8s.io status']);
});

test('a Foo whose Deployment the API server refuses is told why once, and is not tried again', async () => {
  const place = await startFoos();

  await place.createFoo('wrong', { deploymentName: 'No/Name' });
  const foo = await place.told('DeploymentInvalid', 'wrong');
  await eventually(async () => (await place.count('DeploymentInvalid')) > 0);
  const refused = place.writes();
  await place.edit({ deploymentName: 'a-name' }, 'wrong');
  await place.told('Synced', 'wrong');

  expect(foo.status?.conditions?.[0]?.message).toContain('metadata.name: Invalid value: "No/Name"');
  expect(refused).toEqual(['create deployments.apps', 'patch foos.samplecontroller.k8s.io status']);
  expect(await place.count('DeploymentInvalid')).toBe(1);
});
