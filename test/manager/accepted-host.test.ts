/** Which Host headers the ports for people and scrapers answer, and which only probes. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually, freePort } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createManager } from '../../operator/manager/create-manager.ts';
import { HealthServer } from '../../operator/manager/http/health-server.ts';
import { send } from '../../operator/manager/http/listener.ts';
import { MetricsServer } from '../../operator/manager/metrics/port.ts';
import { isAcceptedHost } from '../../operator/manager/settings/accepted-host.ts';
import { settingsFrom } from '../../operator/manager/settings/settings.ts';

const CONFIGURED = ['status.corp.example'];

test.each([
  ['127.0.0.1', true],
  ['127.0.0.1:8081', true],
  ['10.1.2.3:8080', true],
  ['[::1]', true],
  ['[::1]:8081', true],
  ['[fd00:10::7]:8080', true],
  ['localhost', true],
  ['LocalHost:8081', true],
  ['localhost.', true],
  ['web-operator:8080', true],
  ['web-operator.team-a.svc', true],
  ['web-operator.team-a.svc.cluster.local:8080', true],
  ['Web-Operator.team-a.SVC.cluster.local.', true],
  ['web-0.web-operator.team-a.svc', true],
  ['status.corp.example', true],
  ['STATUS.corp.example.:443', true],
  ['evil.example', false],
  ['evil.example:8081', false],
  ['evil.dev', false],
  ['web-operator.team-a', false],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['a.b.svc.evil.example', false],
  ['a.b.svc.cluster.local.evil.example', false],
  ['a.svc.cluster.example', false],
  ['evilsvc', true], // one label, whatever it ends in
  ['evil.notsvc', false],
  ['cluster.local', false],
  ['sub.status.corp.example', false],
  ['corp.example', false],
  ['::1', false],
  ['[evil.example]', false],
  ['[::1].evil.example', false],
  ['user@localhost', false],
  ['localhost/evil.example', false],
  ['evil.example#.svc', false],
  ['evil.example\\.svc', false],
  ['evil.example,localhost', false],
  ['.svc', false],
  ['..svc', false],
  ['', false],
  [':8081', false],
  ['a'.repeat(64), false],
])('[security 21] [attack A-6] the Host header %j is accepted: %s', (header, accepted) => {
  expect(isAcceptedHost(header, CONFIGURED)).toBe(accepted);
});

test.each([
  'https://status.example',
  'status.example:443',
  'a,,b',
  '*.example.com',
  'a b',
])('[attack A-6] the setting CHANCERY_HTTP_HOSTS refuses %j', (value) => {
  expect(() => settingsFrom({ CHANCERY_HTTP_HOSTS: value })).toThrow(
    'CHANCERY_HTTP_HOSTS must be names of hosts without ports, as a,b, not ',
  );
});

async function ports(): Promise<{ readonly health: number; readonly metrics: number }> {
  const host = '127.0.0.1';
  const health = new HealthServer({
    ...{ port: 0, host, live: [], ready: [], hosts: CONFIGURED },
    others: (_request, response) => {
      send(response, 200, 'what people read');
      return true;
    },
  });
  const metrics = new MetricsServer({
    ...{ port: 0, host, hosts: CONFIGURED, log: { error: () => {} } },
    metrics: { expose: async () => 'what scrapers read' },
  });
  for (const server of [health, metrics]) {
    await server.start();
    onTestFinished(() => server.stop());
  }
  return { health: health.port, metrics: metrics.port };
}

/** The whole answer to a request with `headers`, which are sent as they are. */
async function ask(
  port: number,
  path: string,
  headers: readonly string[],
  version = 'HTTP/1.1',
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write([`GET ${path} ${version}`, ...headers, 'Connection: close', '', ''].join('\r\n'));
  return text(socket);
}

const statusOf = (answer: string): string =>
  answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);

test('[security 21] [attack A-6] a request with a foreign Host header gets 421 from every path but the probes', async () => {
  const { health, metrics } = await ports();
  const evil = ['Host: evil.example:8081'];

  const refused = [
    await ask(health, '/', evil),
    await ask(health, '/status', evil),
    await ask(health, '/status.json', evil),
    await ask(health, '/status/events', evil),
    await ask(health, '/why.json?key=demo/a', evil),
    await ask(health, '/keys.json', evil),
    await ask(metrics, '/metrics', evil),
  ];
  const probes = [await ask(health, '/healthz', evil), await ask(health, '/readyz/ping', evil)];

  for (const answer of refused) {
    expect(statusOf(answer)).toBe('421');
    expect(answer.toLowerCase()).toContain('content-type: text/plain; charset=utf-8');
    expect(answer).toContain('add it to CHANCERY_HTTP_HOSTS');
    expect(answer).not.toContain('what ');
  }
  expect(probes.map(statusOf)).toEqual(['200', '200']);
});

test('[attack A-6] a request with an accepted or configured Host header can read the status and the metrics', async () => {
  const { health, metrics } = await ports();

  for (const name of ['127.0.0.1', 'localhost:1', 'op.team.svc', 'Status.corp.example']) {
    expect(await ask(health, '/status', [`Host: ${name}`])).toContain('what people read');
    expect(await ask(metrics, '/metrics', [`Host: ${name}`])).toContain('what scrapers read');
  }
});

test.each([
  ['none', [], 'HTTP/1.1', '400', '400'],
  ['two', ['Host: localhost', 'Host: evil.example'], 'HTTP/1.1', '400', '400'],
  ['two equal headers', ['Host: localhost', 'host: localhost'], 'HTTP/1.1', '400', '400'],
  ['no header, which HTTP/1.0 allows', [], 'HTTP/1.0', '400', '200'],
  ['an empty header', ['Host:'], 'HTTP/1.1', '421', '200'],
])('[attack A-6] the number of Host headers in a request decides the status: %s', async (_, headers, version, page, probe) => {
  const { health, metrics } = await ports();

  const pages = [
    await ask(health, '/status', headers, version),
    await ask(metrics, '/metrics', headers, version),
  ];
  const probed = await ask(health, '/healthz', headers, version);

  expect(pages.map(statusOf)).toEqual([page, page]);
  expect(statusOf(probed)).toBe(probe);
});

test('[attack A-6] CHANCERY_HTTP_HOSTS applies to both ports of an operator', async () => {
  const [health, metrics] = [await freePort(), await freePort()];
  const manager = await createManager({
    controllers: [],
    environment: {
      CHANCERY_API_URL: 'http://127.0.0.1:1',
      CHANCERY_HEALTH_PORT: String(health),
      CHANCERY_METRICS_PORT: String(metrics),
      CHANCERY_HTTP_HOSTS: 'status.corp.example',
      CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
      CHANCERY_LOG_LEVEL: 'error',
    },
  });
  const running = manager.run();
  onTestFinished(async () => {
    await manager.stop();
    await running;
  });
  const [good, evil] = [['Host: status.corp.example'], ['Host: evil.example']];

  await eventually(async () => statusOf(await ask(metrics, '/metrics', good)) === '200');

  expect(statusOf(await ask(health, '/status.json', good))).toBe('200');
  expect(statusOf(await ask(health, '/status.json', evil))).toBe('421');
  expect(statusOf(await ask(metrics, '/metrics', evil))).toBe('421');
});
