import { expect, test } from 'vitest';
import { aborted } from '../../../operator/core/abort.ts';
import type { Runnable } from '../../../operator/manager/runnable.ts';
import type { Replica } from '../leader/replica.ts';
import { GROUPS, groupsOf, sharer, withParents } from './sharded-place.ts';

test('[sharding 19] [SH-6] work without keys runs on one replica, also over a hand-over', async () => {
  const place = await withParents();
  const running = new Set<string>();
  let most = 0;
  const task = (who: string): Runnable => ({
    name: 'schedule',
    async run(signal) {
      running.add(who);
      most = Math.max(most, running.size);
      await aborted(signal);
      running.delete(who);
    },
  });
  const replicas = new Map<string, Replica>();
  for (const who of ['a', 'b']) replicas.set(who, await sharer(place, who, {}, [task(who)]));
  const isLevel = (): boolean => [...replicas.values()].every((each) => groupsOf(each) === 4);
  expect(await place.until(isLevel)).toBe(true);
  const [first = ''] = running;
  expect(running.size).toBe(1);

  await replicas.get(first)?.operator.stop();
  expect(await place.until(() => running.size === 1)).toBe(true);

  expect(running).not.toContain(first);
  expect(most).toBe(1);
  const left = [...replicas].filter(([who]) => who !== first).map(([, replica]) => replica);
  expect(left.map((each) => groupsOf(each))).toEqual([GROUPS]);
});
