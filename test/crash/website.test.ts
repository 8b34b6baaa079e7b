import { test } from 'vitest';
import { EVERY_PLACE, expectSameEnd } from './every-place.ts';
import { changedWebsite, deletedWebsite } from './samples.ts';

test(
  '[K-20] wherever the website example is killed, in the end there is one Deployment, and the status is current',
  EVERY_PLACE,
  async () => {
    await expectSameEnd(changedWebsite, [
      'list websites.example.dev',
      'patch websites.example.dev',
      'create deployments.apps',
      'patch deployments.apps',
      'patch websites.example.dev/status',
    ]);
  },
);

test(
  '[K-20] wherever the website example is killed, a deleted Website and its Deployment are removed',
  EVERY_PLACE,
  async () => {
    await expectSameEnd(deletedWebsite, [
      'list websites.example.dev',
      'patch websites.example.dev',
      'create deployments.apps',
      'patch websites.example.dev/status',
    ]);
  },
);
