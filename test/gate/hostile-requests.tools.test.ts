/**
 * The generated configuration on a real nginx: what it refuses, and that it is the configuration that refuses.
 *
 * @module-tag nginx
 */
import { expect, test } from 'vitest';
import { shared } from '../proxy/support/shared.ts';
import { GateProcess } from './support/gate-process.ts';
import { bytesOf, DECLARED, HOSTILE, sendBytes } from './support/hostile-requests.ts';
import { PlainOperator } from './support/reviews.ts';

const operator = shared(() => PlainOperator.start());
const gate = shared(() => GateProcess.start({ paths: DECLARED, operator: operator().address }));

/** A gate that passes each request line, to see that the lines of the list would reach an operator. */
const open = shared(() =>
  GateProcess.start({
    paths: DECLARED,
    operator: operator().address,
    change: (text) =>
      text
        .replace(/^ *if \([^}]*\}\n/gm, '')
        .replace(/location \/ \{[^}]*\}/, 'location / { proxy_pass http://operator; }'),
  }),
);

const REFUSED = [0, 400, 404, 405, 413, 414, 415, 501, 505];

async function sendAll(to: GateProcess, lines: readonly string[]): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  for (const line of lines) statuses.set(line, await sendBytes(to, bytesOf(line)));
  return statuses;
}

test('[admission 15] the list of hostile requests contains every kind of attack, and no duplicates', () => {
  const kinds = [
    /^GET/,
    /%2f/i,
    /%2e/i,
    /%00/,
    /%0a/,
    /\?timeout/,
    /http:/,
    /content-type/,
    /transfer/,
  ];

  expect(HOSTILE.length).toBeGreaterThanOrEqual(120);
  expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
  expect(kinds.filter((kind) => !HOSTILE.some((line) => kind.test(line)))).toEqual([]);
});

test("[A-11] a declared request passes unchanged, with the API server's query", async () => {
  const lines = DECLARED.flatMap(({ path }) => [
    `POST ${path} HTTP/1.1`,
    `POST ${path}?timeout=1s HTTP/1.1`,
    `POST ${path}?timeout=30s HTTP/1.1`,
  ]);

  const statuses = await sendAll(gate(), lines);

  expect(new Set(statuses.values())).toEqual(new Set([200]));
  expect(operator().seen.map(({ line }) => line)).toEqual(lines);
});

test('[security 33] [A-11] [admission 15] no hostile request reaches the operator', async () => {
  const statuses = await sendAll(gate(), HOSTILE);

  const passed = [...statuses].filter(([, status]) => !REFUSED.includes(status));
  expect(passed).toEqual([]);
  expect(operator().seen).toEqual([]);
});

test('canary: if its rules are removed, the gate forwards most of the hostile requests', async () => {
  await sendAll(open(), HOSTILE);

  expect(operator().seen.length).toBeGreaterThan(60);
});

test.each([
  ['a control character', 'traceparent: a\u0001b'],
  ['an escape', 'tracestate: \u001b[2J'],
  ['a tab', 'user-agent: a\tb'],
  ['5,000 characters', `user-agent: ${'a'.repeat(5_000)}`],
])('a header with %s is refused by the gate, and does not reach the operator', async (_what, header) => {
  const status = await sendBytes(gate(), bytesOf(`POST /convert HTTP/1.1 | ${header}`));

  expect(status).toBe(400);
  expect(operator().seen).toEqual([]);
  expect(operator().connections).toBe(0);
});

test('a request that is hidden behind the body of another request does not reach the operator', async () => {
  const hidden = bytesOf('POST /metrics HTTP/1.1');
  const [head = ''] = bytesOf('POST /convert HTTP/1.1').split('{}');

  await sendBytes(gate(), `${head}{}${hidden}`);
  await sendBytes(
    gate(),
    `${head.replace('content-length: 2', 'transfer-encoding: chunked')}0\r\n\r\n${hidden}`,
  );

  expect(operator().seen.map(({ line }) => line)).toEqual(Array(2).fill('POST /convert HTTP/1.1'));
});
