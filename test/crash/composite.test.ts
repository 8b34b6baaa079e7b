import { test } from 'vitest';
import { EVERY_PLACE, expectSameEnd } from './every-place.ts';
import { clearedGarden } from './samples.ts';

test(
  '[K-20] wherever a composite is killed, each child is created and deleted once, in order',
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
