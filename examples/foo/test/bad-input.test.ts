import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { startFoos } from './foo-place.ts';

test('an invalid Foo gets one message with the reason, and nothing is created, changed or removed', async () => {
  const place = await startFoos();

  await place.createFoo('nameless');
  const nameless = await place.because('DeploymentNameMissing', 'nameless');
  await place.edit({ replicas: 2 }, 'nameless');
  await place.because('DeploymentNameMissing', 'nameless');
  await place.createFoo('wrong', { deploymentName: 'No/Name' });
  const wrong = await place.because('DeploymentInvalid', 'wrong');
  await eventually(async () => (await place.events()).length > 1);
  const writes = place.writes().filter((write) => !write.startsWith('patch foos'));
  await place.edit({ deploymentName: 'a-name' }, 'wrong');
  await place.because('Synced', 'wrong');
  await place.edit({ deploymentName: '' }, 'wrong');
  await place.because('DeploymentNameMissing', 'wrong');

  expect(nameless.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
  expect((await place.told('DeploymentNameMissing'))[0]).toEqual({
    type: 'Warning',
    reason: 'DeploymentNameMissing',
    note: 'spec.deploymentName must be specified',
  });
  expect(wrong.status?.conditions?.[0]?.message).toContain(
    'metadata.name: Invalid value (not shown): ',
  );
  expect(writes).toEqual(['create deployments.apps']); // refused, and not tried again
  expect(await place.count('DeploymentInvalid')).toBe(1);
  expect(await place.deployment('a-name')).toBeDefined();
});
