/** Lists and watches that the API server refuses or ends. */
import { failure, type Reply, ScriptedServer, type ServedRequest } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { forwardTo } from '../../support/forward.ts';
import type { Place, Replica } from '../leader/replica.ts';
import {
  change,
  GROUPS,
  groupsOf,
  mirrored,
  PARENTS,
  pass,
  sharer,
  withParents,
  writtenWithoutLease,
} from './sharded-place.ts';

/** Replicas that start from now on are answered 500 where `isRefused`. */
async function refuse(
  place: Place,
  isRefused: (request: ServedRequest) => boolean,
): Promise<ScriptedServer> {
  const server = new ScriptedServer();
  const refusal = failure({ code: 500, message: 'the server could not read the request' });
  const served = forwardTo(place.env.url);
  const reply: Reply = (exchange) =>
    isRefused(exchange.request) ? refusal(exchange) : served(exchange);
  await server.start();
  onTestFinished(() => server.close());
  server.on({}, reply);
  place.server = server.url;
  return server;
}

const isLevel = (...replicas: readonly Replica[]): boolean =>
  replicas.every((each) => groupsOf(each) === GROUPS / replicas.length);

async function expectMirrored(place: Place, of: string): Promise<void> {
  const found = await mirrored(place);
  expect(found.size).toBe(PARENTS);
  expect(new Set([...found.values()].map((each) => each.of))).toEqual(new Set([of]));
  expect(writtenWithoutLease(place)).toEqual([]);
}

test('[sharding 12] if watches are closed with 410 during a hand-over, no change is lost, and no object has two writers', async () => {
  const place = await withParents();
  const first = await sharer(place, 'a');
  expect(await place.until(() => groupsOf(first) === GROUPS)).toBe(true);
  await pass(place, 5_000);

  const second = await sharer(place, 'b');
  for (let step = 0; step < 60 && !isLevel(first, second); step++) {
    if (step % 7 === 0) await change(place, { step: String(step) });
    place.env.server.compact();
    place.env.server.closeWatches(step % 2 === 0 ? 'clean' : 'reset');
    await pass(place, 500);
  }
  await change(place, { last: 'yes' });
  place.env.server.compact();
  place.env.server.closeWatches('clean');
  expect(await place.until(() => isLevel(first, second))).toBe(true);
  // Two waits of up to 30 s after a failed watch, and the lists.
  await pass(place, 90_000);

  await expectMirrored(place, '{"last":"yes"}');
});

test('[sharding 12] lists that fail during a hand-over are retried, and once they succeed, their groups are reconciled', async () => {
  const place = await withParents();
  let fails = false;
  await refuse(
    place,
    ({ path, isWatch }) => fails && !isWatch && /(configmaps|secrets)$/.test(path),
  );
  const first = await sharer(place, 'a');
  expect(await place.until(() => groupsOf(first) === GROUPS)).toBe(true);
  await pass(place, 5_000);

  const second = await sharer(place, 'b');
  await second.operator.untilReady().catch(() => {});
  fails = true;
  expect(await place.until(() => isLevel(first, second))).toBe(true);
  await change(place, { while: 'lists fail' });
  await pass(place, 10_000);
  fails = false;
  await pass(place, 60_000);

  await expectMirrored(place, '{"while":"lists fail"}');
});

test('[sharding 20] if a server answers a selector with 500, lists go on without the selector, which is tried again later', async () => {
  const place = await withParents();
  const server = await refuse(place, ({ query }) => query.shardSelector !== undefined);
  const replicas = [await sharer(place, 'a'), await sharer(place, 'b')];
  expect(await place.until(() => isLevel(...replicas))).toBe(true);
  await pass(place, 10_000);
  const selecting = (): number =>
    server.requests.filter(({ query }) => query.shardSelector !== undefined).length;
  const before = selecting();

  await change(place, { changed: 'yes' });
  for (let minute = 0; minute < 4; minute++) {
    place.env.server.closeWatches('clean');
    await place.env.advance(60_000);
  }

  await expectMirrored(place, '{"changed":"yes"}');
  for (const { operator } of replicas) {
    const warnings = operator.log.filter(({ message }) =>
      message.includes('refuses shardSelector'),
    );
    expect(warnings).toHaveLength(1);
  }
  // Each replica opens the watch again, first with the selector, and may look with a list whether the server is the same.
  expect(selecting() - before).toBeGreaterThanOrEqual(4 * replicas.length);
  expect(selecting() - before).toBeLessThanOrEqual(4 * 3 * replicas.length);
});
