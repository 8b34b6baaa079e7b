import { FakeClock, startOperator } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runnable } from '../../operator/manager/runnable.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { answerOf, rawServer } from '../transport/raw-server.ts';

test('the client of a runnable reads every digit of an integer', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const server = await rawServer(() =>
    answerOf(
      200,
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","generation":9007199254740993}}',
    ),
  );
  const reader = runnable({
    name: 'reader',
    async run(_signal, { client }) {
      resolve(await client.get(configMaps, { namespace: 'demo', name: 'a' }));
    },
  });
  const operator = startOperator({
    ...{ url: server.url, namespace: 'demo', clock: new FakeClock() },
    ...{ controllers: [], runnables: [reader] },
  });
  onTestFinished(() => operator.stop());

  expect(await promise).toMatchObject({ metadata: { generation: 9007199254740993n } });
});
