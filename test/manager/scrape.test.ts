/**
 * What a dashboard or an alert made for controller-runtime finds: a real operator against the embedded
 * API server, scraped over HTTP, and compared with the stored list of names, labels and buckets.
 */
import { readFileSync } from 'node:fs';
import { configMap, eventually, startTestEnv } from '@chancery/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../operator/client/connection.ts';
import { controller } from '../../operator/controller/controller.ts';
import { TerminalError } from '../../operator/controller/errors.ts';
import { source } from '../../operator/controller/source.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { METRICS } from '../../operator/manager/metrics/catalogue.ts';
import { MetricsServer } from '../../operator/manager/metrics/port.ts';
import { PrometheusMeter } from '../../operator/manager/metrics/prometheus-meter.ts';
import { OperatorProcess } from '../../operator/manager/operator-process.ts';
import { settingsFrom } from '../../operator/manager/settings/settings.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { type ParsedFamily, parsedExposition } from '../support/parsed-exposition.ts';

interface Line {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly buckets: readonly string[];
  /** Only there where something of the kind has happened. */
  readonly rare: boolean;
}

const LIST = readFileSync(new URL('controller-runtime-metrics.txt', import.meta.url), 'utf8');
const lines = LIST.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const expected = lines.map((line): Line => {
  const [name = '', type = '', labels = '', ...rest] = line.split(' ');
  return {
    name,
    type,
    labels: labels === '-' ? [] : labels.split(','),
    buckets: rest.filter((word) => word !== '?'),
    rare: rest.includes('?'),
  };
});

/** Succeeds, asks to be called again, fails, fails for good, throws a bug: one object each. */
const everyOutcome = controller({
  name: 'scribe',
  for: source(configMaps),
  async reconcile(object, { attempt }) {
    switch (object.metadata.name) {
      case 'later':
        return { requeueAfterMs: 3_600_000 };
      case 'once-failing':
        if (attempt === 0) throw new Error('at first');
        return;
      case 'hopeless':
        throw new TerminalError('never');
      case 'bug':
        if (attempt === 0) throw new TypeError('x is undefined');
        return;
    }
  },
});

const TOTAL = 'controller_runtime_reconcile_total';

interface Scraped {
  readonly text: string;
  readonly open: string;
  readonly log: readonly object[];
}

/** After everything has happened that is waited for, and before the operator ends. */
async function scrapeOfOperator(): Promise<Scraped> {
  await using env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  const namespace = await env.namespace();
  for (const name of ['later', 'once-failing', 'hopeless', 'bug']) {
    await env.create(configMap(name, { namespace }));
  }
  const log: object[] = [];
  const error = (fields: object, message: string): void => void log.push({ message, ...fields });
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const meter = new PrometheusMeter({ detailed: true, log: { error } });
  const server = new MetricsServer({ port: 0, host: '127.0.0.1', metrics: meter, log: { error } });
  const connection = connect(env.url, { clock: systemClock, meter, detailed: true });
  const manager = new OperatorProcess({
    settings: settingsFrom({
      CHANCERY_API_URL: env.url,
      CHANCERY_HEALTH_PORT: '0',
      CHANCERY_LEADER_ELECTION: 'true',
      POD_NAMESPACE: namespace,
    }),
    controllers: [everyOutcome],
    connection,
    clock: systemClock,
    logFor: () => quiet,
    meter,
    metricsServer: server,
  });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  const scrape = async (accept: string): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`, { headers: { accept } });
    return answer.text();
  };
  try {
    await eventually(() => manager.ready);
    await env.create(configMap('plain', { namespace }));
    await eventually(async () => {
      const samples = parsedExposition(await scrape('text/plain')).get(TOTAL)?.samples ?? [];
      const counts = Object.fromEntries(samples.map(({ labels, value }) => [labels.result, value]));
      return counts.success === 3 && counts.error === 3 && counts.requeue_after === 1;
    });
    const text = await scrape('text/plain');
    return { text, open: await scrape('application/openmetrics-text'), log };
  } finally {
    stop.abort(new Error('the test is over'));
    await running;
    await connection.close();
  }
}

/** Names of the labels of each series, without the one that a bucket has besides. */
function labelsOf({ samples }: ParsedFamily): readonly string[] {
  const all = samples.map(({ labels }) => Object.keys(labels).filter((label) => label !== 'le'));
  return [...new Set(all.map((labels) => labels.join(',')))];
}

function bucketsOf({ name, samples }: ParsedFamily): readonly string[] {
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  return [...new Set(buckets.map(({ labels }) => labels.le ?? ''))];
}

describe('a scrape of an operator', () => {
  let scraped: Scraped;
  let families: ReadonlyMap<string, ParsedFamily>;

  beforeAll(async () => {
    scraped = await scrapeOfOperator();
    families = parsedExposition(scraped.text);
  });

  test.each(
    expected,
  )('[X-1] in a scrape, $name has the type, labels and buckets that it has in controller-runtime', (line) => {
    const family = families.get(line.name);

    expect(family?.type).toBe(line.type);
    if (family === undefined || (line.rare && family.samples.length === 0)) return;
    expect(labelsOf(family)).toEqual([line.labels.join(',')]);
    expect(bucketsOf(family)).toEqual(line.buckets);
  });

  test('[X-1] a scrape has a series for every result of a reconcile, and counts each result', () => {
    const value = (
      name: string,
      labels: Readonly<Record<string, string>> = {},
    ): number | undefined =>
      families
        .get(name)
        ?.samples.find((sample) =>
          Object.entries(labels).every(([label, of]) => sample.labels[label] === of),
        )?.value;

    const results = ['success', 'error', 'requeue', 'requeue_after'];
    expect(results.map((result) => value(TOTAL, { controller: 'scribe', result }))).toEqual([
      3, 3, 0, 1,
    ]);
    expect(value('controller_runtime_reconcile_errors_total')).toBe(3);
    expect(value('controller_runtime_terminal_reconcile_errors_total')).toBe(1);
    expect(value('controller_runtime_reconcile_panics_total')).toBe(1);
    expect(value('controller_runtime_reconcile_timeouts_total')).toBe(0);
    expect(value('controller_runtime_max_concurrent_reconciles')).toBe(1);
    expect(value('controller_runtime_active_workers')).toBe(0);
    expect(value('workqueue_retries_total', { name: 'scribe' })).toBeGreaterThan(0);
    expect(value('leader_election_master_status')).toBe(1);
    expect(value('rest_client_requests_total', { code: '200', method: 'GET' })).toBeGreaterThan(0);
  });

  test('[X-1] a scrape has the toolkit’s own metrics, and no metric that the catalogue lacks', () => {
    const known = new Map(METRICS.map((metric) => [metric.name, metric]));
    const others = [...families.values()].filter(({ name }) => !/^(process|nodejs)_/.test(name));

    for (const family of others) {
      const metric = known.get(family.name);
      expect(metric, family.name).toBeDefined();
      if (family.samples.length > 0) expect(labelsOf(family)).toEqual([metric?.labels.join(',')]);
    }
    expect(others).toHaveLength(METRICS.length);
    const measured = others.filter(({ samples }) => samples.length > 0).map(({ name }) => name);
    expect(measured).toEqual(
      expect.arrayContaining([
        'chancery_watch_opens_total',
        'chancery_watch_events_total',
        'chancery_lists_total',
        'chancery_list_duration_seconds',
        'chancery_source_state',
        'chancery_last_contact_timestamp_seconds',
        'chancery_cached_objects',
        'rest_client_request_duration_seconds',
        'rest_client_request_size_bytes',
        'rest_client_response_size_bytes',
      ]),
    );
  });

  test('[X-2] no label in a scrape contains the name of an object', () => {
    const values = [...families.values()]
      .flatMap(({ samples }) => samples)
      .flatMap(({ labels }) => Object.values(labels));

    for (const name of ['plain', 'later', 'once-failing', 'hopeless']) {
      expect(values).not.toContain(name);
    }
  });

  test('the meter reports no error', () => {
    expect(scraped.log).toEqual([]);
    expect(families.get('chancery_meter_errors_total')?.samples[0]?.value).toBe(0);
  });

  test('[X-1] a scrape in OpenMetrics has the same values as a scrape in the text format', () => {
    const open = parsedExposition(scraped.open, 'openmetrics');

    const totals = open.get(TOTAL.replace(/_total$/, ''))?.samples;
    expect(totals).toEqual(families.get(TOTAL)?.samples);
    const names = [...families.keys()].map((name) => openName(name));
    expect(new Set(open.keys())).toEqual(new Set(names));
  });

  function openName(name: string): string {
    return families.get(name)?.type === 'counter' ? name.replace(/_total$/, '') : name;
  }
});
