/**
 * Replicas of an operator as processes, each behind a real gate, and an API server that learns late which of them ends.
 *
 * @module-tag nginx
 */
import { ApiServer, eventually, freePort } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { GateProcess } from './support/gate-process.ts';
import { NAMES_PATH, OperatorProcess } from './support/operator-process.ts';
import { type Reply, review, steadily, WebhookClient } from './support/reviews.ts';

interface Replica {
  readonly operator: OperatorProcess;
  readonly gate: GateProcess;
  readonly client: WebhookClient;
}

/** Resolves when the replica is ready: before that no review is sent to it. */
async function startReplica(name: string, apiUrl: string): Promise<Replica> {
  const health = await freePort();
  const operator = await OperatorProcess.start({
    POD_NAME: name,
    POD_NAMESPACE: 'shop',
    CHANCERY_API_URL: apiUrl,
    CHANCERY_HEALTH_PORT: String(health),
  });
  onTestFinished(() => operator.stop());
  await eventually(async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok);
  const gate = await GateProcess.start({ paths: [NAMES_PATH], operator: operator.address });
  onTestFinished(() => gate.stop());
  const client = new WebhookClient(gate);
  onTestFinished(() => client.close());
  return { operator, gate, client };
}

test('[A-5] [admission 13] during a rolling update of an operator with gates no review is lost', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const before = [
    await startReplica('shop-0', server.url),
    await startReplica('shop-1', server.url),
  ];
  let endpoints = before;
  const replies: (Reply | Error)[] = [];
  const twoSeconds = async (): Promise<void> => {
    const ask = (at: number): Promise<Reply> => {
      const replica = endpoints[at % endpoints.length];
      if (replica === undefined) throw new Error('no replica is left');
      return replica.client.post(NAMES_PATH.path, review(`${at}`, 8_000));
    };
    replies.push(...(await steadily(100, 50, ask)));
  };

  for (const [at, replica] of before.entries()) {
    endpoints = [...endpoints, await startReplica(`shop-${at + 2}`, server.url)];
    const ended = replica.operator.stop();
    await twoSeconds(); // nodes send reviews to it although it has begun to stop
    endpoints = endpoints.filter((each) => each !== replica);
    await ended;
  }

  expect(replies.filter((reply) => reply instanceof Error || reply.status !== 200)).toEqual([]);
  expect(replies).toHaveLength(200);
  const closing = replies.filter(
    (reply) => 'headers' in reply && reply.headers.connection?.includes('close'),
  );
  expect(closing.length).toBeGreaterThan(0);
}, 120_000); // four processes start one after another, and two take their time to stop
