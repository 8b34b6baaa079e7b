import fc from 'fast-check';
import { Counter } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { MAX_SERIES, PrometheusMeter } from '../../operator/manager/metrics/prometheus-meter.ts';
import { type ParsedFamily, parsedExposition } from '../support/parsed-exposition.ts';
import { propertyRuns } from '../support/property-runs.ts';

const TOTAL = 'controller_runtime_reconcile_total';
const SECONDS = 'controller_runtime_reconcile_time_seconds';
const ERRORS = 'chancery_meter_errors_total';

async function scraped(meter: PrometheusMeter): Promise<ReadonlyMap<string, ParsedFamily>> {
  return parsedExposition(await meter.expose('text'));
}

async function firstValue(meter: PrometheusMeter, name: string): Promise<number | undefined> {
  return (await scraped(meter)).get(name)?.samples[0]?.value;
}

/** A meter, with what its log was told. */
function logged(): { meter: PrometheusMeter; lines: object[] } {
  const lines: object[] = [];
  const meter = new PrometheusMeter({ log: { error: (fields) => lines.push(fields) } });
  return { meter, lines };
}

describe('PrometheusMeter', () => {
  test('[X-1] the meter supports counters, gauges and histograms, with labels in the order of the catalogue', async () => {
    const meter = new PrometheusMeter();
    meter.count(TOTAL, { result: 'success', controller: 'web' });
    meter.count(TOTAL, { controller: 'web', result: 'success' }, 2);
    meter.count(TOTAL, { controller: 'web', result: 'error' }, 0);
    meter.gauge('controller_runtime_active_workers', { controller: 'web' }, 3);
    meter.gauge('controller_runtime_active_workers', { controller: 'web' }, 1);

    const text = await meter.expose('text');

    expect(text).toContain(`${TOTAL}{controller="web",result="success"} 3\n`);
    expect(text).toContain(`${TOTAL}{controller="web",result="error"} 0\n`);
    expect(text).toContain('controller_runtime_active_workers{controller="web"} 1\n');
  });

  test('[X-1] an observation is counted in every bucket with an equal or greater upper bound', async () => {
    const meter = new PrometheusMeter();
    for (const seconds of [0.001, 0.005, 0.006, 60, 61]) {
      meter.observe(SECONDS, { controller: 'web' }, seconds);
    }

    const samples = (await scraped(meter)).get(SECONDS)?.samples ?? [];

    const at = (le: string): number | undefined =>
      samples.find(({ labels }) => labels.le === le)?.value;
    expect([at('0.005'), at('0.01'), at('50'), at('60'), at('+Inf')]).toEqual([2, 3, 3, 4, 5]);
    expect(samples.find(({ name }) => name === `${SECONDS}_sum`)?.value).toBeCloseTo(121.012);
  });

  test('the totals of any sequence of measurements equal a manual sum', async () => {
    const label = fc.constantFrom('a', 'b', 'ö"\\\n', '__proto__');
    const step = fc.record({ controller: label, result: label, amount: fc.nat(1_000) });

    await fc.assert(
      fc.asyncProperty(fc.array(step), async (steps) => {
        const meter = new PrometheusMeter();
        const expected = new Map<string, number>();
        for (const { controller, result, amount } of steps) {
          meter.count(TOTAL, { controller, result }, amount);
          meter.observe(SECONDS, { controller }, amount / 10);
          const key = JSON.stringify([controller, result]);
          expected.set(key, (expected.get(key) ?? 0) + amount);
        }

        const families = await scraped(meter);

        const samples = families.get(TOTAL)?.samples ?? [];
        const found = samples.map(({ labels, value }) => {
          return [JSON.stringify([labels.controller, labels.result]), value] as const;
        });
        expect(new Map(found)).toEqual(expected);
        const counts = families.get(SECONDS)?.samples.filter(({ name }) => /_count$/.test(name));
        expect((counts ?? []).reduce((sum, { value }) => sum + value, 0)).toBe(steps.length);
      }),
      propertyRuns(0.5),
    );
  });

  test('a metric that was never measured is listed, and a metric without labels starts at 0', async () => {
    const families = await scraped(new PrometheusMeter());

    expect(families.get(TOTAL)).toMatchObject({ type: 'counter', samples: [] });
    expect(families.get(ERRORS)?.samples).toEqual([{ name: ERRORS, labels: {}, value: 0 }]);
    expect(families.get('chancery_event_loop_delay_seconds')?.samples.at(-1)?.value).toBe(0);
  });

  test.each<[string, (meter: PrometheusMeter) => void]>([
    ['an unknown name', (meter) => meter.count('unheard_of_total', {})],
    ['the wrong type', (meter) => meter.gauge(TOTAL, { controller: 'a', result: 'b' }, 1)],
    ['an unknown label', (meter) => meter.count(TOTAL, { controller: 'a', pod: 'b' })],
    ['an inherited label', (meter) => meter.count(TOTAL, { controller: 'a', constructor: 'b' })],
    ['a non-string label', (meter) => meter.count(TOTAL, { controller: 1 as unknown as string })],
    ['a negative amount', (meter) => meter.count(TOTAL, { controller: 'a', result: 'b' }, -1)],
    ['an infinite amount', (meter) => meter.count(TOTAL, { controller: 'a' }, Infinity)],
    ['an observation of NaN', (meter) => meter.observe(SECONDS, { controller: 'a' }, NaN)],
  ])('[X-1] a measurement with %s is dropped, counted and logged once, and never throws', async (_, measure) => {
    const { meter, lines } = logged();

    measure(meter);
    measure(meter);

    expect(await firstValue(meter, ERRORS)).toBe(2);
    expect(lines).toHaveLength(1);
    expect((await scraped(meter)).get(TOTAL)?.samples).toEqual([]);
  });

  test('a missing label equals an empty label', async () => {
    const { meter, lines } = logged();

    meter.count(TOTAL, { controller: 'web' });
    meter.count(TOTAL, { controller: 'web', result: '' });

    expect((await scraped(meter)).get(TOTAL)?.samples).toEqual([
      { name: TOTAL, labels: { controller: 'web', result: '' }, value: 2 },
    ]);
    expect(lines).toEqual([]);
  });

  test('[X-2] if a label can have any number of values, its metric has at most as many series as the limit', async () => {
    const { meter, lines } = logged();

    for (let at = 0; at < MAX_SERIES + 5; at++) meter.count(TOTAL, { controller: `c${at}` });
    meter.count(TOTAL, { controller: 'c0' });

    const families = await scraped(meter);
    expect(families.get(TOTAL)?.samples).toHaveLength(MAX_SERIES);
    expect(families.get(TOTAL)?.samples[0]?.value).toBe(2);
    expect(families.get(ERRORS)?.samples[0]?.value).toBe(5);
    expect(lines).toHaveLength(1);
  });

  test('[X-1] the metrics of the toolkit can have another prefix, and other metrics keep their names', async () => {
    const meter = new PrometheusMeter({ prefix: 'acme_' });
    meter.count('chancery_watch_stalls_total', { group: 'apps' });

    const families = await scraped(meter);

    expect(families.get('acme_watch_stalls_total')?.samples[0]?.value).toBe(1);
    expect([...families.keys()].filter((name) => name.startsWith('chancery_'))).toEqual([]);
    expect(families.has(TOTAL)).toBe(true);
  });

  test.each([
    '',
    '9lives_',
    'with-dash_',
    'a b',
    'ä_',
  ])('PrometheusMeter refuses the prefix %j', (prefix) => {
    expect(() => new PrometheusMeter({ prefix })).toThrow(ConfigurationError);
  });

  test('[X-1] durations, sizes and retries of requests are measured only when enabled', async () => {
    const measure = (meter: PrometheusMeter): void => {
      meter.observe('rest_client_request_duration_seconds', { verb: 'GET', host: 'h' }, 1);
      meter.count('rest_client_request_retries_total', { code: '503', verb: 'GET', host: 'h' });
    };
    const plain = new PrometheusMeter();
    const detailed = new PrometheusMeter({ detailed: true });

    measure(plain);
    measure(detailed);

    const names = async (meter: PrometheusMeter): Promise<string[]> =>
      [...(await scraped(meter)).keys()].filter((name) => name.startsWith('rest_client_'));
    expect(await names(plain)).toEqual(['rest_client_requests_total']);
    expect(await names(detailed)).toHaveLength(5);
    expect(await firstValue(plain, ERRORS)).toBe(0);
    expect(await firstValue(detailed, 'rest_client_request_retries_total')).toBe(1);
  });

  test('[X-1] a scrape contains process metrics and metrics that users register', async () => {
    const meter = new PrometheusMeter();
    const sales = new Counter({ name: 'sales_total', help: 'Sales', registers: [meter.registry] });
    sales.inc(7);

    const text = await scraped(meter);
    const open = parsedExposition(await meter.expose('openmetrics'), 'openmetrics');

    expect(text.get('sales_total')?.samples[0]?.value).toBe(7);
    expect(open.get('sales')?.samples).toEqual([{ name: 'sales_total', labels: {}, value: 7 }]);
    expect(text.get('process_cpu_seconds_total')?.type).toBe('counter');
    expect(text.get('nodejs_heap_size_used_bytes')?.samples[0]?.value).toBeGreaterThan(1e6);
  });

  test('two meters are independent, and the OpenMetrics format does not change the names in the text format', async () => {
    const one = new PrometheusMeter();
    const other = new PrometheusMeter();
    one.count(TOTAL, { controller: 'web', result: 'success' });
    await one.expose('openmetrics');

    const families = await scraped(one);

    expect(families.get(TOTAL)?.samples).toHaveLength(1);
    expect((await scraped(other)).get(TOTAL)?.samples).toHaveLength(0);
    expect(families.has('process_cpu_seconds_total')).toBe(true);
  });
});
