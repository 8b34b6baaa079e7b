/**
 * What the processes of a Pod have in their memory while reviews come: the gate its key, the operator nothing of it.
 *
 * @module-tag nginx
 */
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { GateProcess } from './support/gate-process.ts';
import { isRunIn, memorySize, secretsInMemory, secretsOf } from './support/memory-search.ts';
import { NAMES_PATH, OperatorProcess } from './support/operator-process.ts';
import { review, WebhookClient } from './support/reviews.ts';

test('the search finds any 16 bytes of a secret in both byte orders, but not 15 bytes', () => {
  const secret = Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + 1));
  const reversed = Buffer.from(secret).reverse();
  const around = (bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.alloc(11, 0xff), bytes, Buffer.alloc(5, 0xff)]);

  for (let at = 0; at <= 16; at++) {
    expect(isRunIn(around(secret.subarray(at, at + 16)), secret)).toBe(true);
    expect(isRunIn(around(reversed.subarray(at, at + 16)), secret)).toBe(true);
    expect(isRunIn(around(secret.subarray(at, at + 15)), secret)).toBe(false);
  }
});

test("[security 31] [A-10] the gate's key is found in the gate's memory, but not in the operator's", async () => {
  const operator = await OperatorProcess.start();
  onTestFinished(() => operator.stop());
  const gate = await GateProcess.start({ paths: [NAMES_PATH], operator: operator.address });
  onTestFinished(() => gate.stop());
  const files = gate.certificate();
  gate.volume.put(files);
  const secrets = secretsOf(files['tls.key']);
  const clients = Array.from({ length: 8 }, () => new WebhookClient(gate));
  onTestFinished(() => {
    for (const client of clients) client.close();
  });
  let isOver = false;
  let answered = 0;
  const load = Promise.all(
    clients.map(async (client) => {
      while (!isOver) {
        const { status } = await client.post(NAMES_PATH.path, review('u', 8_000));
        if (status === 200) answered++;
      }
    }),
  );
  await eventually(() => answered > 50);

  const inOperator = secretsInMemory(operator.pid, secrets);
  const inGate = gate.workers.flatMap((pid) => secretsInMemory(pid, secrets));
  const size = memorySize(operator.pid);
  isOver = true;
  await load;

  expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(3);
  expect(size).toBeGreaterThan(10_000_000);
  expect(inOperator).toEqual([]);
  expect(inGate).toContain('d');
}, 120_000); // several hundred megabytes are searched
