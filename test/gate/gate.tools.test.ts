/**
 * A real nginx with the generated configuration, between a client that speaks as an API server does and an operator.
 *
 * @module-tag nginx
 */
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { shared } from '../proxy/support/shared.ts';
import { GateProcess } from './support/gate-process.ts';
import { bytesOf, DECLARED, sendBytes } from './support/hostile-requests.ts';
import { PlainOperator, review, steadily, verdict, WebhookClient } from './support/reviews.ts';

const VALIDATE = '/validate/names.websites.example.com';
const MiB = 1024 * 1024;

const operator = shared(() => PlainOperator.start());
const gate = shared(() => GateProcess.start({ paths: DECLARED, operator: operator().address }));

function serialOf(certificate: string): string {
  return new X509Certificate(certificate).serialNumber;
}

function client(of: GateProcess = gate(), options = {}): WebhookClient {
  const made = new WebhookClient(of, options);
  onTestFinished(() => made.close());
  return made;
}

test('[admission 9] the gate passes a review to the operator, and the response to the API server', async () => {
  operator().answer = () => ({
    body: verdict({ uid: 'u1', allowed: false, status: { code: 403, message: 'no such host' } }),
  });

  const reply = await client().post(VALIDATE, review('u1'), { traceparent: '00-a-b-01' });

  expect(reply.status).toBe(200);
  expect(JSON.parse(reply.body).response).toMatchObject({ uid: 'u1', allowed: false });
  expect(operator().seen).toEqual([
    {
      line: `POST ${VALIDATE}?timeout=10s HTTP/1.1`,
      body: review('u1'),
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        'content-length': String(review('u1').length),
        'user-agent': 'kube-apiserver-admission',
        traceparent: '00-a-b-01',
      },
    },
  ]);
});

test("[admission 9] the operator's error response passes unchanged, without the header of the gate", async () => {
  operator().answer = () => ({ status: 500, body: '{"error":"the function has failed"}' });

  const reply = await client().post(VALIDATE, review('u2'));

  expect(reply).toMatchObject({ status: 500, body: '{"error":"the function has failed"}' });
  expect(reply.headers['chancery-gate']).toBeUndefined();
});

test('the gate keeps connections to the API server and to the operator open', async () => {
  const kept = client();
  for (let at = 0; at < 20; at++) await kept.post(VALIDATE, review(`${at}`));

  expect(operator().seen).toHaveLength(20);
  expect(operator().connections).toBeLessThanOrEqual(1);
});

test('no review is lost when the operator closes a connection that the gate keeps open', async () => {
  const kept = client();
  await kept.post(VALIDATE, review('before'));
  operator().dropIdle();

  const reply = await kept.post(VALIDATE, review('after'));

  expect(reply.status).toBe(200);
});

test('the gate reaches the operator over a Unix socket, too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-socket-'));
  chmodSync(folder, 0o755);
  const plain = await PlainOperator.start(join(folder, 'operator.sock'));
  const overSocket = await GateProcess.start({ paths: DECLARED, operator: plain.address });
  onTestFinished(async () => {
    await overSocket.stop();
    await plain.stop();
    rmSync(folder, { recursive: true });
  });

  const reply = await client(overSocket).post(VALIDATE, review('u3'));

  expect(JSON.parse(reply.body).response).toEqual({ uid: 'u3', allowed: true });
});

test('[admission 13] when the operator stops, the gate closes its connections to the API server', async () => {
  operator().answer = ({ body }) => ({ body, headers: { connection: 'close' } });

  const reply = await client().post(VALIDATE, review('u4'));

  expect(reply.headers.connection).toContain('close');
});

test("[A-11] [admission 10] if no operator listens, the gate's response contains the operator's address", async () => {
  const nobody = await PlainOperator.start();
  await nobody.stop();
  const alone = await GateProcess.start({ paths: DECLARED, operator: nobody.address });
  onTestFinished(() => alone.stop());

  const reply = await client(alone).post(VALIDATE, review('u5'));

  expect(reply.status).toBe(502);
  expect(reply.body).toContain(`the operator does not answer at ${nobody.address}`);
  expect(reply.headers['chancery-gate']).toBe('refused');
});

test('[admission 10] while the gate is down no review is answered, and afterwards all are answered', async () => {
  const own = await GateProcess.start({ paths: DECLARED, operator: operator().address });
  onTestFinished(() => own.stop());
  const asking = client(own);
  await asking.post(VALIDATE, review('before'));

  await own.kill();
  const during = await asking.post(VALIDATE, review('during')).catch((error: Error) => error);
  await own.again();
  const after = await asking.post(VALIDATE, review('after'));

  expect(during).toBeInstanceOf(Error);
  expect(after.status).toBe(200);
});

test('[A-12] [admission 11] no review is lost while the certificate is rotated', async () => {
  const kept = client();
  const fresh = client(gate(), { keepAlive: false });
  const serials: string[] = [];

  const replies = await steadily(500, 50, async (at) => {
    if (at % 50 !== 25) return kept.post(VALIDATE, review(`${at}`, 8_000));
    const files = gate().certificate();
    gate().volume.put(files);
    const reply = await fresh.post(VALIDATE, review(`${at}`, 8_000));
    serials.push(reply.serial === serialOf(files['tls.crt']) ? 'new' : 'old');
    return reply;
  });

  expect(replies.filter((reply) => reply instanceof Error || reply.status !== 200)).toEqual([]);
  expect(serials).toEqual(Array(10).fill('new'));
  expect(operator().seen).toHaveLength(500);
});

test('[A-11] [admission 14] if a handler hangs, the gate answers 504 after the time limit of the webhook', async () => {
  const short = await GateProcess.start({
    paths: [{ path: '/validate/slow.example.com', timeoutSeconds: 1 }],
    operator: operator().address,
  });
  onTestFinished(() => short.stop());
  operator().answer = () => new Promise(() => {});

  const reply = await client(short).post('/validate/slow.example.com', review('u6'));

  expect(reply.status).toBe(504);
  expect(reply.body).toContain('within the time limit of this webhook');
});

test('[security 33] [A-11] [admission 15] the gate passes a body of 8 MiB, and refuses a larger body itself', async () => {
  operator().answer = ({ body }) => ({ body: String(body.length) });

  const largest = await client().post('/convert', review('u7', 8 * MiB));
  const larger = await client().post('/convert', review('u8', 8 * MiB + 1));

  expect(largest).toMatchObject({ status: 200, body: String(8 * MiB) });
  expect(larger).toMatchObject({ status: 413, body: 'the review is larger than 8 MiB\n' });
  expect(operator().seen).toHaveLength(1);
});

test('[admission 15] the size limit also applies to chunked bodies, and a smaller chunked body is passed on whole', async () => {
  operator().answer = ({ body }) => ({ body: String(body.length) });
  const [head = ''] = bytesOf(
    'POST /convert HTTP/1.1 | -content-length | transfer-encoding: chunked',
  ).split('{}');
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;

  const small = await sendBytes(gate(), `${head}${chunk.repeat(3)}0\r\n\r\n`);
  const large = await sendBytes(gate(), `${head}${chunk.repeat(144)}0\r\n\r\n`);

  expect([small, large]).toEqual([200, 413]);
  expect(operator().seen.map(({ headers }) => headers['content-length'])).toEqual([
    String(3 * 0x10000),
  ]);
});

test.each([
  ['head', 'POST /convert HTTP/1.1\r\nhost: a\r\n'],
  ['body', bytesOf('POST /convert HTTP/1.1 | content-length: 100')],
])('[admission 15] if the %s of a request never ends, the gate ends the request, and the operator does not get it', async (_part, bytes) => {
  const short = await GateProcess.start({
    paths: DECLARED,
    operator: operator().address,
    change: (text) => text.replace(/(client_(?:header|body)_timeout) 5s/g, '$1 300ms'),
  });
  onTestFinished(() => short.stop());

  const status = await sendBytes(short, bytes);

  expect([0, 408]).toContain(status);
  expect(operator().seen).toEqual([]);
});

test('the gate itself answers the probe, without a request to the operator', async () => {
  const status = await sendBytes(gate(), 'GET /healthz HTTP/1.1\r\nhost: 10.0.0.1:9443\r\n\r\n');

  expect(status).toBe(200);
  expect(operator().seen).toEqual([]);
});

test('[security 32] the operator cannot read the key through the gate', async () => {
  operator().answer = () => ({ body: 'passed', headers: { 'x-accel-redirect': '/tls.key' } });

  const reply = await client().post('/convert', review('u9'));

  expect(reply.body).toBe('passed');
});

test.each([
  ['no certificate', {}],
  ['a key of another certificate', 'other'],
  ['a file that is not a certificate', { 'tls.crt': 'x', 'tls.key': 'y' }],
])('with %s the gate logs an error, and serves nothing until the certificate is correct', async (_what, files) => {
  const own = await GateProcess.start({ paths: DECLARED, operator: operator().address });
  onTestFinished(() => own.stop());
  const asking = client(own);
  const bad =
    files === 'other'
      ? { ...own.certificate(), 'tls.key': own.certificate()['tls.key'] }
      : (files as Record<string, string>);

  own.volume.put(bad);
  const during = await asking.post(VALIDATE, review('during')).catch((error: Error) => error);
  await eventually(() => /SSL|certificate|key values mismatch/.test(own.log));
  own.volume.put(own.certificate());
  const after = await asking.post(VALIDATE, review('after'));

  expect(during).toBeInstanceOf(Error);
  expect(after.status).toBe(200);
});
