import { test } from 'vitest';
import { expectAgreement } from './shard-agreement.ts';

test('[sharding 2] the shard selector equals that of shardInfo, and selects the objects in the slots', async () => {
  await expectAgreement('embedded');
});
