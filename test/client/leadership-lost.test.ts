/** A write of a leader that has lost: what its reconciler is told. */

import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { connect } from '../../operator/client/connection.ts';
import { LeadershipLostError } from '../../operator/core/errors.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { rawServer, transportTo } from '../transport/raw-server.ts';

test('[LE-9] after leadership is lost, no write is repeated, even if its outcome is unknown', async () => {
  const clock = new FakeClock();
  const server = await rawServer(({ socket }) => {
    socket.destroy();
    return undefined;
  });
  let lost: LeadershipLostError | undefined;
  const fence = {
    writeDeadlineAt: () => {
      if (lost !== undefined) throw lost;
      return 14_000;
    },
  };
  const transport = transportTo(server.url, { clock });
  const client = connect(server.url, { clock, transport }).clientFor('tester', fence);
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'demo', name: 'a' },
  };
  const writing = client.apply(configMaps, object).catch((error: unknown) => error);
  await eventually(() => server.requests.length === 1 && (clock.nextInMs ?? 1_000) <= 120);

  lost = new LeadershipLostError('lost', { layer: 'process' });
  await clock.advanceAndSettle(1_000);

  expect(await writing).toBe(lost);
  expect(server.requests).toHaveLength(1);
});
