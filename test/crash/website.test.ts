import { test } from 'vitest';
import { EVERY_PLACE, expectSameEnd } from './every-place.ts';
import { changedWebsite, deletedWebsite } from './samples.ts';

test(
  '[K-20] one Deployment is created, and the status is of the last spec, wherever the sixty-line operator is killed',
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
  '[K-20] a deleted Website and its Deployment are gone in the end, wherever the sixty-line operator is killed',
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
