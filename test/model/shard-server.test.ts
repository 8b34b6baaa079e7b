import { test } from 'vitest';
import { expectAgreement } from './shard-agreement.ts';

test('[sharding 2] the shard selector equals the one in shardInfo, and selects the objects in the slots', async () => {
  await expectAgreement('embedded');
});
