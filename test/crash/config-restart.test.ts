import { test } from 'vitest';
import { EVERY_PLACE, expectSameEnd } from './every-place.ts';
import { restartedOnce } from './samples.ts';

test(
  'one change of a ConfigMap rolls the Pods once, wherever config-restart is killed',
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
