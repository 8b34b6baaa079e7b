import { test } from 'vitest';
import { EVERY_PLACE, expectSameEnd } from './every-place.ts';
import { changedWebsite, deletedWebsite } from './samples.ts';

test(
  '[K-20] wherever the sixty-line operator is killed, one Deployment is made, and the status is of the last spec',
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
  '[K-20] wherever the sixty-line operator is killed, a deleted Website goes, and its Deployment with it',
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
