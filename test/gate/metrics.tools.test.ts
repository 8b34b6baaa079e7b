/**
 * The server of the gate for metrics: a real nginx with the generated configuration between scrapers and an operator.
 *
 * @module-tag nginx
 * @module-tag openssl
 */
import { expect, onTestFinished, test } from 'vitest';
import { shared } from '../proxy/support/shared.ts';
import { GateProcess, SERVICE } from './support/gate-process.ts';
import { DECLARED, sendBytes } from './support/hostile-requests.ts';
import { PlainOperator } from './support/reviews.ts';
import { type ClientCertificate, Scrapers, scrape } from './support/scrapers.ts';

const METRICS = '# TYPE shop_seen_total counter\nshop_seen_total 7\n';

const scrapers = shared(() => Scrapers.start());
const operator = shared(() => PlainOperator.start());
const gate = shared(() => startGate());

/** A gate whose webhooks are answered elsewhere than its metrics. */
function startGate(change?: (text: string) => string): Promise<GateProcess> {
  return GateProcess.start({
    paths: DECLARED,
    operator: '127.0.0.1:1',
    metrics: { operator: operator().address, authorities: scrapers().authority },
    ...(change && { change }),
  });
}

/** A certificate of an authority with the same name and another key. */
function stranger(): ClientCertificate {
  const others = new Scrapers();
  onTestFinished(() => others.stop());
  return others.issue('prometheus');
}

function answerMetrics(): void {
  operator().answer = () => ({ body: METRICS, headers: { 'content-type': 'text/plain' } });
}

test('a scraper with a certificate of the CA gets metrics, and its credentials are not passed on', async () => {
  answerMetrics();

  const { status, text } = await scrape(
    gate(),
    scrapers().issue('prometheus'),
    'GET /metrics HTTP/1.1 | accept: text/plain;version=0.0.4 | authorization: Bearer secret',
  );

  expect(status).toBe(200);
  expect(text).toContain(METRICS);
  expect(text).not.toMatch(/chancery-gate/i);
  expect(operator().seen).toEqual([
    {
      line: 'GET /metrics HTTP/1.1',
      headers: { host: 'localhost', accept: 'text/plain;version=0.0.4', connection: 'close' },
      body: '',
    },
  ]);
});

test('HEAD /metrics is answered like GET, but without the metrics', async () => {
  answerMetrics();

  const { status, text } = await scrape(gate(), scrapers().issue('head'), 'HEAD /metrics HTTP/1.1');

  expect(status).toBe(200);
  expect(text).not.toContain('shop_seen_total');
});

test.each([
  ['no certificate', () => undefined, 'NONE'],
  ['a certificate of another authority', () => stranger(), 'FAILED'],
  [
    'an expired certificate',
    () => scrapers().issue('late', { year: 2020 }),
    'certificate has expired',
  ],
  ['a certificate for servers', () => scrapers().issue('server', { usage: 'server' }), 'FAILED'],
])('the gate refuses a scraper with %s, and answers with the reason', async (_what, client, why) => {
  const { status, text } = await scrape(gate(), client());

  expect(status).toBe(403);
  expect(text).toMatch(/chancery-gate: refused/i);
  expect(text).toContain(why);
  expect(operator().seen).toEqual([]);
});

test("the gate refuses a scraper that uses the gate's own certificate", async () => {
  const { 'tls.crt': cert, 'tls.key': key } = gate().certificate();

  const { status } = await scrape(gate(), { cert, key });

  expect(status).toBe(403);
});

/** What a scraper with a certificate may not ask. */
const REFUSED = [
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'].map(
    (method) => `${method} /metrics HTTP/1.1`,
  ),
  ...['get', 'Get', 'GETS', 'HEADER', ''].map((method) => `${method} /metrics HTTP/1.1`),
  ...[
    ...['/', '/healthz', '/readyz', '/status', '/status.json', '/convert', '*', ''],
    ...['/metrics/', '//metrics', '/metrics//', '/./metrics', '/metrics/.', '/metrics/..'],
    ...['/metrics/../status', '/status/../metrics', '/metrics/hooks', '/metricsx', '/x/metrics'],
    ...['/METRICS', '/%6detrics', '/%2fmetrics', '/metrics%2f', '/metrics%00', '/metrics%20'],
    ...['/metrics?', '/metrics?a=b', '/metrics;a', '/metrics#a', '/metrics\\', '\\metrics'],
    ...['/metrics%0d%0aa:b', '/%2e/metrics', '/metrics/%2e%2e/status', 'http://a/metrics'],
    ...['https://127.0.0.1/metrics', 'metrics', '/metrics\t', ' /metrics', '/metrics /status'],
  ].map((path) => `GET ${path} HTTP/1.1`),
  ...['GET /metrics', 'GET /metrics HTTP/2.0', 'GET /metrics HTTP/1.1 HTTP/1.1'],
  'GET /metrics HTTP/1.1 | content-length: 1',
  'GET /metrics HTTP/1.1 | transfer-encoding: chunked',
];

async function statusesOf(to: GateProcess): Promise<ReadonlyMap<string, number>> {
  const client = scrapers().issue('curious');
  const statuses = new Map<string, number>();
  for (const line of REFUSED) statuses.set(line, (await scrape(to, client, line)).status);
  return statuses;
}

test('a scraper gets only /metrics, however it spells other paths', async () => {
  const statuses = await statusesOf(gate());

  const allowed = [...statuses].filter(
    ([, status]) => ![0, 400, 404, 405, 413, 505].includes(status),
  );
  expect(allowed).toEqual([]);
  expect(operator().seen).toEqual([]);
  expect(operator().connections).toBe(0);
});

test('canary: if its rules are removed, the gate forwards most of the scrape requests that it should refuse', async () => {
  const open = await startGate((text) => {
    const at = text.lastIndexOf('server {');
    const rules = text
      .slice(at)
      .replace(/^ *if \([^}]*\}\n/gm, '')
      .replace(/location \/ \{[^}]*\}/, `location / { proxy_pass http://${operator().address}; }`);
    return text.slice(0, at) + rules;
  });
  onTestFinished(() => open.stop());

  await statusesOf(open);

  expect(operator().seen.length).toBeGreaterThan(25);
});

test('the port for metrics refuses reviews, and the port for reviews refuses metrics', async () => {
  const client = scrapers().issue('both');

  const review = await scrape(gate(), client, 'POST /convert HTTP/1.1 | content-length: 0');
  const metrics = await sendBytes(gate(), 'GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n');

  expect([review.status, metrics]).toEqual([404, 404]);
  expect(operator().seen).toEqual([]);
});

test.each([
  ['is missing', undefined],
  ['has no certificate', 'none\n'],
])("if the gate's file with CA certificates %s, the gate does not start, and reports the file", async (_what, text) => {
  const started = GateProcess.start({
    paths: [],
    operator: '127.0.0.1:1',
    metrics: { operator: operator().address, ...(text !== undefined && { authorities: text }) },
  });

  await expect(started).rejects.toThrow(/nginx ended with 1: .*\/clients\/ca\.crt/);
});

test('when the operator does not answer, the gate answers 502 with the address of the operator', async () => {
  const nobody = await PlainOperator.start();
  await nobody.stop();
  const alone = await GateProcess.start({
    paths: [],
    operator: '127.0.0.1:1',
    metrics: { operator: nobody.address, authorities: scrapers().authority },
  });
  onTestFinished(() => alone.stop());

  const { status, text } = await scrape(alone, scrapers().issue('alone'));

  expect(status).toBe(502);
  expect(text).toContain(`the operator does not answer at ${nobody.address}`);
});

test('an operator cannot make the gate send its key to a scraper', async () => {
  operator().answer = () => ({ body: METRICS, headers: { 'x-accel-redirect': '/tls.key' } });

  const { text } = await scrape(gate(), scrapers().issue('redirected'));

  expect(text).toContain(METRICS);
  expect(text).not.toContain('PRIVATE KEY');
});

test('the gate uses a new serving certificate for new connections, without a restart', async () => {
  answerMetrics();
  const own = await startGate();
  onTestFinished(() => own.stop());
  const client = scrapers().issue('rotated');
  own.volume.put({ 'tls.crt': 'x', 'tls.key': 'y' });
  const during = await scrape(own, client);

  own.volume.put(own.certificate([SERVICE]));
  const after = await scrape(own, client);

  expect([during.status, after.status]).toEqual([0, 200]);
});
