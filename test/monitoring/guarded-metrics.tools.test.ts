/**
 * An operator whose metrics only the gate can read, and a real Prometheus that comes through the gate as the generated
 * PodMonitor says.
 *
 * @module-tag nginx
 * @module-tag openssl
 * @module-tag prometheus
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../cli/child.ts';
import { GateProcess } from '../gate/support/gate-process.ts';
import { OperatorProcess } from '../gate/support/operator-process.ts';
import { type ClientCertificate, Scrapers } from '../gate/support/scrapers.ts';
import { GATE, ofKind, webhookModelOf } from '../manifests/support/webhooks.ts';
import { Prometheus } from './support/prometheus.ts';

const model = webhookModelOf([], { gate: { ...GATE, metricsClientCa: 'scraper' } });

/** Programs start, and Prometheus scrapes: long on a busy machine. */
const SLOW = { timeout: 120_000 };

/** What the manifests give to the operator. */
const metricsHost = model.deployment.spec.template.spec.containers
  .find(({ name }) => name === 'operator')
  ?.env?.find(({ name }) => name === 'CHANCERY_METRICS_HOST')?.value;

const [monitor] = ofKind(model.components.prometheus.objects, 'PodMonitor') as unknown as readonly {
  readonly spec: {
    readonly podMetricsEndpoints: readonly {
      readonly scheme: string;
      readonly tlsConfig: { readonly serverName: string };
    }[];
  };
}[];
const endpoint = monitor?.spec.podMetricsEndpoints[0];

async function startOperator(host = metricsHost): Promise<{ readonly port: number }> {
  const port = await freePort();
  const operator = await OperatorProcess.start({
    CHANCERY_METRICS_PORT: String(port),
    ...(host !== undefined && { CHANCERY_METRICS_HOST: host }),
  });
  onTestFinished(() => operator.stop());
  return { port };
}

/** `open`, or the code with which a connection is refused. */
async function reach(address: string, port: number): Promise<string> {
  const socket = connect(port, address);
  try {
    await once(socket, 'connect');
    return 'open';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  } finally {
    socket.destroy();
  }
}

/** How a Prometheus Operator writes the endpoint, with the files of its Secrets. */
function scrapingWith(gate: GateProcess, client: ClientCertificate): object {
  const folder = folderWith({ 'ca.crt': gate.authority.certificate });
  for (const name of ['cert', 'key'] as const) writeFileSync(join(folder, name), client[name]);
  return {
    scheme: endpoint?.scheme,
    tls_config: {
      server_name: endpoint?.tlsConfig.serverName,
      ca_file: join(folder, 'ca.crt'),
      cert_file: join(folder, 'cert'),
      key_file: join(folder, 'key'),
    },
  };
}

test('the operator behind the gate serves its metrics on 127.0.0.1 only', SLOW, async () => {
  const guarded = await startOperator();
  const open = await startOperator('::');

  expect(await reach('127.0.0.1', guarded.port)).toBe('open');
  expect(await reach('127.0.0.2', guarded.port)).toBe('ECONNREFUSED');
  expect(await reach('127.0.0.2', open.port)).toBe('open');
});

test(
  'only a Prometheus whose certificate is from the client authority can scrape the operator',
  SLOW,
  async () => {
    const [ours, others] = [new Scrapers(), new Scrapers()];
    onTestFinished(async () => {
      await ours.stop();
      await others.stop();
    });
    const operator = await startOperator();
    const gate = await GateProcess.start({
      paths: [],
      operator: '127.0.0.1:1',
      names: [endpoint?.tlsConfig.serverName ?? ''],
      metrics: { operator: `127.0.0.1:${operator.port}`, authorities: ours.authority },
    });
    onTestFinished(() => gate.stop());
    const targets = [{ pod: 'shop-0', port: gate.metricsPort }];
    const watch = (client: ClientCertificate): Promise<Prometheus> =>
      Prometheus.start({ job: 'shop', targets, scraping: scrapingWith(gate, client) });

    const admitted = await watch(ours.issue('prometheus'));
    const stranger = await watch(others.issue('prometheus'));

    expect(await admitted.until('up{job="shop"} == 1')).toHaveLength(1);
    expect(await admitted.until('process_cpu_seconds_total{job="shop"}')).toHaveLength(1);
    expect(await stranger.until('up{job="shop"} == 0')).toHaveLength(1);
    expect(await stranger.query('process_cpu_seconds_total{job="shop"}')).toEqual([]);
  },
);
