/** Which ambassador a test gets: by name, by the environment, or a real kubectl proxy. */
import { expect, onTestFinished, test } from 'vitest';
import { startUpstream } from '../../../test/proxy/support/upstream.ts';
import { chooseAmbassador, startAmbassador } from '../../src/ambassador/ambassador.ts';

test.each([
  [undefined, 'kubectl'],
  ['', 'kubectl'],
  ['kubectl', 'kubectl'],
  [' stand-in ', 'stand-in'],
] as const)('CHANCERY_TEST_AMBASSADOR=%j selects the ambassador %s', (named, kind) => {
  expect(chooseAmbassador({ CHANCERY_TEST_AMBASSADOR: named })).toBe(kind);
});

test('an unknown value of CHANCERY_TEST_AMBASSADOR is refused', () => {
  expect(() => chooseAmbassador({ CHANCERY_TEST_AMBASSADOR: 'kubctl' })).toThrow(
    'CHANCERY_TEST_AMBASSADOR must be kubectl or stand-in, not "kubctl"',
  );
});

test('without kubectl, the error suggests the stand-in ambassador as an alternative', async () => {
  const started = startAmbassador({
    server: 'http://127.0.0.1:1',
    environment: { PATH: '/nonexistent' },
  });

  await expect(started).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('set CHANCERY_TEST_AMBASSADOR=stand-in'),
  });
});

test('the stand-in ambassador passes requests on if the environment selects it', async () => {
  const upstream = await startUpstream();
  const environment = { CHANCERY_TEST_AMBASSADOR: 'stand-in' };

  const ambassador = await startAmbassador({ server: upstream.url, environment });
  onTestFinished(() => ambassador.kill());

  expect((await fetch(`${ambassador.url}/version`)).status).toBe(200);
});
