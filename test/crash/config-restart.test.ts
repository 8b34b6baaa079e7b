import { test } from 'vitest';
import { EVERY_PLACE, expectSameEnd } from './every-place.ts';
import { restartedOnce } from './samples.ts';

test(
  'wherever config-restart is killed, a change of a ConfigMap restarts the Pods once',
  EVERY_PLACE,
  async () => {
    await expectSameEnd(restartedOnce, [
      'list configmaps',
      'create configmaps',
      'patch configmaps',
      'patch deployments.apps',
    ]);
  },
);
