import { test } from 'vitest';
import { EVERY_PLACE, expectSameEnd } from './every-place.ts';
import { clearedGarden } from './samples.ts';

test(
  '[K-20] each child is created once and deleted once, in the order of the finalizer, wherever a composite is killed',
  EVERY_PLACE,
  async () => {
    await expectSameEnd(clearedGarden, [
      'patch gardens.example.dev',
      'create configmaps',
      'patch configmaps',
      'delete configmaps',
      'patch gardens.example.dev/status',
    ]);
  },
);
