/** The operator's own metrics beside those of the toolkit, in one scrape. */
import { eventually, FakeClock } from '@chancery/testing';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { expect, test } from 'vitest';
import { AddedRegistries } from '../../operator/manager/metrics/added-registries.ts';
import { PrometheusMeter } from '../../operator/manager/metrics/prometheus-meter.ts';
import type { MetricsRegistry } from '../../operator/manager/metrics/registry.ts';
import { parsedExposition } from '../support/parsed-exposition.ts';

interface Logged {
  readonly message: string;
  readonly metrics?: readonly string[];
  readonly err?: Error;
}

function scraping(registries: readonly MetricsRegistry[]) {
  const clock = new FakeClock();
  const logged: Logged[] = [];
  const log = { error: (facts: object, message = '') => void logged.push({ ...facts, message }) };
  const meter = new PrometheusMeter({ added: new AddedRegistries(registries, { clock, log }) });
  return { meter, clock, logged };
}

/** A registry that `collect` fills or breaks. */
function registryOf(collect: () => unknown): MetricsRegistry {
  return { getMetricsAsJSON: collect as MetricsRegistry['getMetricsAsJSON'] };
}

test("[X-4] a scrape contains the operator's own metrics of every type in addition to the toolkit's", async () => {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'shop_sales_total', help: 'sold', labelNames: ['kind'], registers }).inc(
    { kind: 'a' },
    2,
  );
  new Gauge({ name: 'shop_depth', help: 'deep\nlines', registers }).set(3);
  new Histogram({ name: 'shop_seconds', help: 'h', buckets: [1, 2], registers }).observe(1.5);
  new Summary({ name: 'shop_size', help: 's', percentiles: [0.5], registers }).observe(7);
  const { meter, logged } = scraping([registry]);
  meter.gauge('chancery_cached_objects', { group: 'apps' }, 1);

  const found = parsedExposition(await meter.expose('text'));
  const open = await meter.expose('openmetrics');

  expect(found.get('chancery_cached_objects')?.samples).toHaveLength(1);
  expect(found.get('shop_sales_total')).toMatchObject({
    type: 'counter',
    samples: [{ labels: { kind: 'a' }, value: 2 }],
  });
  expect(found.get('shop_depth')?.samples).toMatchObject([{ value: 3 }]);
  expect(found.get('shop_seconds')?.type).toBe('histogram');
  expect(found.get('shop_size')?.type).toBe('summary');
  expect(open).toContain('# TYPE shop_sales counter\nshop_sales_total{kind="a"} 2\n');
  expect(open).toContain('shop_seconds_bucket{le="2.0"} 1\n');
  expect(logged).toEqual([]);
});

test('[X-4] a label without a value is omitted', async () => {
  const registry = new Registry();
  const options = { name: 'shop_depth', help: 'd', labelNames: ['kind', 'size'] };
  const gauge = new Gauge({ ...options, registers: [registry] });
  gauge.set({ kind: 'a', size: undefined }, 1);
  const { meter, logged } = scraping([registry]);

  const found = parsedExposition(await meter.expose('text'));

  expect(found.get('shop_depth')?.samples).toMatchObject([{ labels: { kind: 'a' }, value: 1 }]);
  expect(logged).toEqual([]);
});

test('[X-4] if two metrics have the same name, the toolkit’s metric wins, otherwise the first one; one line is logged', async () => {
  const taken = new Registry();
  new Gauge({ name: 'chancery_cached_objects', help: 'not ours', registers: [taken] }).set(9);
  new Gauge({ name: 'process_cpu_seconds_total', help: 'not ours', registers: [taken] }).set(9);
  new Gauge({ name: 'shop_depth', help: 'first', registers: [taken] }).set(1);
  const second = new Registry();
  new Gauge({ name: 'shop_depth', help: 'second', registers: [second] }).set(2);
  const { meter, logged } = scraping([taken, second]);
  meter.gauge('chancery_cached_objects', { group: 'apps' }, 1);

  await meter.expose('openmetrics');
  const found = parsedExposition(await meter.expose('text'));

  expect(found.get('chancery_cached_objects')?.samples).toMatchObject([{ value: 1 }]);
  expect(found.get('shop_depth')?.samples).toMatchObject([{ value: 1 }]);
  expect(logged).toEqual([
    {
      message: 'metrics of the operator are not exported because their names are taken',
      metrics: ['chancery_cached_objects', 'process_cpu_seconds_total', 'shop_depth'],
    },
  ]);
});

test.each([
  ['a counter and a gauge of the same OpenMetrics family', 'counter', 'a_total', 'gauge', 'a'],
  ['a histogram and a gauge with the name of a series', 'histogram', 'a', 'gauge', 'a_count'],
  ['a gauge and a counter with the same line', 'gauge', 'a_total', 'counter', 'a'],
])('[X-4] the second of two metrics is omitted: %s', async (_what, type, name, otherType, otherName) => {
  const metric = (each: string, of: string) => ({ name: each, type: of, help: '', values: [] });
  const registry = registryOf(async () => [metric(name, type), metric(otherName, otherType)]);
  const { meter, logged } = scraping([registry]);

  await meter.expose('text');

  expect(logged).toMatchObject([{ metrics: [otherName] }]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('broken');
    },
  ],
  ['returns no list', async () => 'x'],
  ['returns no object', async () => [null]],
  ['returns a name that is not allowed', async () => [{ name: 'a b', type: 'gauge', help: '' }]],
  ['returns a type with a line break', async () => [{ name: 'a', type: 'x\ny', help: '' }]],
  [
    'returns a label that is not allowed',
    async () => [
      { name: 'a', type: 'gauge', help: '', values: [{ value: 1, labels: { 'a"': 'x' } }] },
    ],
  ],
  [
    'returns a string as a value',
    async () => [{ name: 'a', type: 'gauge', help: '', values: [{ value: '1\n', labels: {} }] }],
  ],
  [
    'returns an object as a label',
    async () => [{ name: 'a', type: 'gauge', help: '', values: [{ value: 1, labels: { a: {} } }] }],
  ],
])('[X-4] if a registry %s, only the metrics of that registry are lost, and this is logged once', async (_what, collect) => {
  const good = new Registry();
  new Gauge({ name: 'shop_depth', help: 'd', registers: [good] }).set(1);
  const { meter, logged } = scraping([registryOf(collect), good]);

  await meter.expose('text');
  const found = parsedExposition(await meter.expose('text'));

  expect(found.get('shop_depth')?.samples).toMatchObject([{ value: 1 }]);
  expect(found.has('a')).toBe(false);
  expect(logged.map(({ message }) => message)).toEqual([
    "a registry of the operator's own metrics cannot be read",
  ]);
});

test('[X-4] a registry that hangs delays a scrape by 5 s, and is not read twice at the same time', async () => {
  let reads = 0;
  const hanging = registryOf(() => {
    reads++;
    return new Promise(() => {});
  });
  const { meter, clock, logged } = scraping([hanging]);

  for (const _scrape of [1, 2]) {
    const text = meter.expose('text');
    await eventually(() => clock.pending === 1);
    clock.advance(5_000);
    expect(await text).toContain('# TYPE chancery_cached_objects gauge');
  }

  expect(reads).toBe(1);
  expect(logged).toHaveLength(1);
});
