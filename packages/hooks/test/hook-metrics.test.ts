/** Metrics that hooks report: their file, groups, and the text of a scrape. */

import { FakeClock } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AddedRegistries } from '../../../operator/manager/metrics/added-registries.ts';
import { claimedNames, claimsOfProcess } from '../../../operator/manager/metrics/claimed-names.ts';
import { PrometheusMeter } from '../../../operator/manager/metrics/prometheus-meter.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { recordingLog } from '../../../test/support/recording-log.ts';
import { checkMetrics } from '../src/metrics/check-metrics.ts';
import { HookMetrics, MAX_HOOK_SERIES } from '../src/metrics/hook-metrics.ts';
import { runnerMetrics } from '../src/metrics/runner-metrics.ts';
import { READ_PARTS } from './support/documents.ts';

const OWN = claimsOfProcess({ more: runnerMetrics() });

/** What one run of a hook reports. Answers why it is refused. */
async function report(
  metrics: HookMetrics,
  hook: string,
  ...operations: object[]
): Promise<string | undefined> {
  const text = operations.map((operation) => JSON.stringify(operation)).join('\n');
  const checked = await checkMetrics(text, () => {}, READ_PARTS.signal);
  const problem = metrics.reserve(hook, checked);
  if (problem === undefined) metrics.apply(hook, checked);
  return problem;
}

/** The lines of a scrape without those that begin with `#`. */
async function samples(metrics: HookMetrics): Promise<readonly string[]> {
  return (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test('[hooks 20] hooks report counters, gauges and histograms, which get a label with the name of the hook', async () => {
  const metrics = new HookMetrics(OWN);
  const labels = { row: 'north', age: '3' };

  await report(
    metrics,
    'count.sh',
    { name: 'trees_total', action: 'add', value: 2, labels },
    { name: 'trees_total', add: 1, labels },
    { name: 'ripe', set: 0.5 },
    { name: 'weight', action: 'observe', value: 3, buckets: [1, 2.5, 5] },
    { name: 'weight', action: 'observe', value: 9, buckets: [1, 2.5, 5] },
  );

  expect(await metrics.text()).toBe(`# HELP ripe ripe
# TYPE ripe gauge
ripe{hook="count.sh"} 0.5
# HELP trees_total trees_total
# TYPE trees_total counter
trees_total{age="3",hook="count.sh",row="north"} 3
# HELP weight weight
# TYPE weight histogram
weight_bucket{hook="count.sh",le="1"} 0
weight_bucket{hook="count.sh",le="2.5"} 0
weight_bucket{hook="count.sh",le="5"} 1
weight_bucket{hook="count.sh",le="+Inf"} 2
weight_sum{hook="count.sh"} 12
weight_count{hook="count.sh"} 2
`);
});

test('[hooks 20] an ungrouped metric keeps its value over runs, and `expire` does not end its series', async () => {
  const metrics = new HookMetrics(OWN);

  await report(metrics, 'a.sh', { name: 'runs_total', add: 1 }, { name: 'last', set: 1 });
  await report(metrics, 'a.sh', { name: 'runs_total', add: 1 });
  await report(metrics, 'a.sh', { action: 'expire', group: 'a.sh' });

  expect(await samples(metrics)).toEqual(['last{hook="a.sh"} 1', 'runs_total{hook="a.sh"} 2']);
});

test('[hooks 20] a run that reports metrics of a group replaces all series of the group', async () => {
  const metrics = new HookMetrics(OWN);
  const ripe = (row: string, value: number) => ({
    ...{ name: 'ripe', set: value, group: 'rows', labels: { row } },
  });

  await report(metrics, 'a.sh', ripe('north', 1), ripe('south', 2), { name: 'kept', set: 7 });
  await report(metrics, 'a.sh', ripe('south', 3), { name: 'seen', add: 1, group: 'rows' });

  expect(await samples(metrics)).toEqual([
    'kept{hook="a.sh"} 7',
    'ripe{hook="a.sh",row="south"} 3',
    'seen{hook="a.sh"} 1',
  ]);
});

test('[hooks 20] `expire` ends the series of a group, and later operations take effect', async () => {
  const metrics = new HookMetrics(OWN);
  const expire = { action: 'expire', group: 'rows' };

  await report(metrics, 'a.sh', { name: 'ripe', set: 1, group: 'rows' });
  await report(metrics, 'a.sh', expire);
  const expired = await metrics.text();
  await report(metrics, 'a.sh', expire, { name: 'ripe', set: 2, group: 'rows' });

  expect(expired).toBe('');
  expect(await samples(metrics)).toEqual(['ripe{hook="a.sh"} 2']);
});

test.each([
  ['no action', '{"name": "a", "value": 1}', 'action is missing'],
  ['an unknown action', '{"name": "a", "action": "inc", "value": 1}', 'action must be one of'],
  ['two shortcuts', '{"name": "a", "add": 1, "set": 1}', 'add and set exclude each other'],
  ['a shortcut and a value', '{"name": "a", "add": 1, "value": 1}', 'add and value exclude'],
  ['no value', '{"name": "a", "action": "set"}', 'value is missing'],
  [
    'a value that is too large for a number',
    '{"name": "a", "set": 1e999}',
    'value must be a number',
  ],
  ['a value that is text', '{"name": "a", "set": "1"}', 'value must be a number'],
  ['a counter that decreases', '{"name": "a", "add": -1}', 'value must not be negative'],
  ['no name', '{"set": 1}', 'name must be'],
  ['a name with a dash', '{"name": "a-b", "set": 1}', 'name must be'],
  ['no buckets', '{"name": "a", "action": "observe", "value": 1}', 'buckets must be'],
  [
    'buckets in falling order',
    '{"name": "a", "action": "observe", "value": 1, "buckets": [2, 1]}',
    'buckets must be',
  ],
  ['a label that is a number', '{"name": "a", "set": 1, "labels": {"b": 1}}', 'labels.b must be'],
  ['a label with a dash', '{"name": "a", "set": 1, "labels": {"b-c": "1"}}', 'label "b-c"'],
  ['the action expire without a group', '{"action": "expire"}', 'group is missing'],
  [
    'more labels than a series may have',
    `{"name": "a", "set": 1, "labels": {${Array.from({ length: 33 }, (_, at) => `"l${at}": ""`).join(',')}}}`,
    'labels has more than 32 members',
  ],
  [
    'a long label',
    `{"name": "a", "set": 1, "labels": {"b": "${'x'.repeat(1_025)}"}}`,
    'labels.b has more than 1024 characters',
  ],
  [
    'a long name',
    `{"name": "${'a'.repeat(1_025)}", "set": 1}`,
    'name has more than 1024 characters',
  ],
  [
    'a long group',
    `{"name": "a", "set": 1, "group": "${'a'.repeat(1_025)}"}`,
    'group has more than 1024 characters',
  ],
  [
    'more bounds than a histogram may have',
    `{"name": "a", "action": "observe", "value": 1, "buckets": [${Array.from({ length: 101 }, (_, at) => at).join(',')}]}`,
    'buckets has more than 100 bounds',
  ],
  ['half a line', '{"name": "a", "se', 'the file ends inside it'],
  ['a list', '[1]', 'must be an object'],
])('a metrics file with %s is refused, and the message contains the operation', async (_what, text, why) => {
  const file = `{"name": "fine", "set": 1}\n${text}`;
  const checked = checkMetrics(file, () => {}, READ_PARTS.signal);

  await expect(checked).rejects.toThrow(`document 2: ${why}`);
});

test.each([
  [
    'the same name with another type',
    { name: 'weight', set: 1 },
    'weight is a histogram of a.sh, not a gauge',
  ],
  [
    'the same name with other buckets',
    { name: 'weight', action: 'observe', value: 1, buckets: [1, 2] },
    'weight has other buckets in a.sh: 1',
  ],
  [
    'a name that is a line of an earlier histogram',
    { name: 'weight_sum', add: 1 },
    'would have lines of one name',
  ],
  [
    'a histogram with a line that is an earlier metric',
    { name: 'height', action: 'observe', value: 1, buckets: [1] },
    'height and height_count of a.sh would have',
  ],
])('a metric that collides with an earlier metric is refused: %s', async (_what, operation, why) => {
  const metrics = new HookMetrics(OWN);
  await report(metrics, 'a.sh', { name: 'weight', action: 'observe', value: 1, buckets: [1] });
  await report(metrics, 'a.sh', { name: 'height_count', set: 1 });

  expect(await report(metrics, 'b.sh', operation)).toContain(why);
});

test.each([
  ['a metric of the runner', { name: 'shell_operator_hook_left_out', set: 1 }],
  ['a metric of the toolkit', { name: 'chancery_source_state', set: 1 }],
  [
    'a metric that is only collected in detail',
    { name: 'rest_client_request_retries_total', add: 1 },
  ],
  ['a line of a histogram', { name: 'workqueue_work_duration_seconds_bucket', set: 2 }],
  [
    'a counter of the runner without its suffix',
    { name: 'shell_operator_hook_run_errors', add: 1 },
  ],
  ['a counter of the runner with a suffix', { name: 'shell_operator_live_ticks_total', set: 1 }],
  ['a metric of the process', { name: 'process_open_fds', set: 0 }],
  ['a metric of Node', { name: 'nodejs_heap_size_used_bytes', set: 0 }],
])('[found 8] a hook cannot report %s as its own metric', async (_what, operation) => {
  const metrics = new HookMetrics(OWN);

  const problem = await report(metrics, 'a.sh', { name: 'fine', set: 1 }, operation);

  expect(problem).toMatch(/^document 2: .*a metric of the runner itself: choose another name$/);
});

test('[found 8] a hook cannot use any metric name that the process exposes, with any prefix', async () => {
  const more = runnerMetrics('mine_');
  const own = claimsOfProcess({ prefix: 'acme_', more });
  const metrics = new HookMetrics(own);

  const meter = new PrometheusMeter({ prefix: 'acme_', more, detailed: true });
  const exposed = (await meter.expose('text')).matchAll(/^# TYPE (\S+) (\S+)$/gm);
  const names = [...exposed].flatMap(([, name = '', type = '']) => claimedNames({ name, type }));
  const refused: string[] = [];
  for (const name of names) {
    if ((await report(metrics, 'a.sh', { name, set: 1 })) !== undefined) refused.push(name);
  }

  expect(names.length).toBeGreaterThan(100);
  expect(refused).toEqual(names);
  expect(
    await report(metrics, 'a.sh', { name: 'shell_operator_live_ticks', add: 1 }),
  ).toBeUndefined();
  expect(await report(metrics, 'a.sh', { name: 'process_oranges', add: 1 })).toBeUndefined();
});

test('[found 8] two hooks cannot report a counter and another metric that have the same name in OpenMetrics', async () => {
  const metrics = new HookMetrics(OWN);

  await report(metrics, 'a.sh', { name: 'pears', add: 1, group: 'fruit' });
  const taken = await report(metrics, 'b.sh', { name: 'pears_total', set: 1 });
  await report(metrics, 'a.sh', { action: 'expire', group: 'fruit' });
  const free = await report(metrics, 'b.sh', { name: 'pears_total', set: 1 });

  expect(taken).toBe('document 1: pears_total and pears of a.sh would have lines of one name');
  expect(free).toBeUndefined();
});

test('[found 8] only the runner sets the label `hook`, and a hook that sets it gets an error', async () => {
  const metrics = new HookMetrics(OWN);
  const warnings: string[] = [];
  const line = '{"name": "pears", "set": 3, "labels": {"hook": "other.sh"}}';

  const onWarning = (problem: string): number => warnings.push(problem);
  const operations = await checkMetrics(line, onWarning, READ_PARTS.signal);
  metrics.reserve('a.sh', operations);
  metrics.apply('a.sh', operations);

  expect(await samples(metrics)).toEqual(['pears{hook="a.sh"} 3']);
  expect(warnings).toEqual(['labels.hook is replaced by the name of the hook']);
});

test('a repaired hook may use the names of its refused metrics with other types', async () => {
  const metrics = new HookMetrics(OWN);

  expect(
    await report(metrics, 'a.sh', { name: 'depth', add: 1 }, { name: 'depth', set: 1 }),
  ).toContain('depth is a counter');
  expect(await report(metrics, 'a.sh', { name: 'depth', set: 2 })).toBeUndefined();

  expect(await samples(metrics)).toEqual(['depth{hook="a.sh"} 2']);
});

test('beyond a limit, series with new label values are refused, and expired series make room for new series', async () => {
  const metrics = new HookMetrics(OWN);
  const pods = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ name: 'pod', set: 1, group: 'pods', labels: { pod: `${from + at}` } },
    }));

  await report(metrics, 'a.sh', ...pods(MAX_HOOK_SERIES, MAX_HOOK_SERIES));
  // Its group is dropped first, and two operations on one series count once.
  const full = await report(metrics, 'a.sh', ...pods(0, MAX_HOOK_SERIES), ...pods(0, 1));
  const refused = await report(metrics, 'a.sh', { name: 'one_more', set: 1 });
  await report(metrics, 'a.sh', { action: 'expire', group: 'pods' });
  const again = await report(metrics, 'a.sh', { name: 'one_more', set: 1 });

  expect(full).toBeUndefined();
  expect(refused).toContain(`more than ${MAX_HOOK_SERIES} series`);
  expect(again).toBeUndefined();
  expect(await samples(metrics)).toEqual(['one_more{hook="a.sh"} 1']);
});

test('the metrics of hooks are served together with the metrics of the process', async () => {
  const metrics = new HookMetrics(OWN);
  await report(metrics, 'a.sh', { name: 'weight', action: 'observe', value: 1, buckets: [1] });
  const { logFor } = recordingLog();
  const added = new AddedRegistries([metrics], { clock: new FakeClock(), log: logFor({}) });

  const text = await new PrometheusMeter({ added }).expose('text');

  expect(text).toContain('weight_bucket{hook="a.sh",le="+Inf"} 1\n');
});

test('a group always has exactly the series of its last report', async () => {
  const run = fc.array(fc.record({ row: fc.constantFrom('a', 'b', 'c'), value: fc.nat(9) }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 5 }), async (runs) => {
      const metrics = new HookMetrics(OWN);
      for (const each of runs) {
        const operations = each.map(({ row, value }) => ({
          ...{ name: 'ripe', add: value, group: 'rows', labels: { row } },
        }));
        await report(metrics, 'a.sh', ...operations);
      }
      const sums = new Map<string, number>();
      for (const { row, value } of runs.at(-1) ?? []) {
        sums.set(row, (sums.get(row) ?? 0) + value);
      }
      expect(await samples(metrics)).toEqual(
        [...sums].sort().map(([row, sum]) => `ripe{hook="a.sh",row="${row}"} ${sum}`),
      );
    }),
    propertyRuns(0.2),
  );
});

test('[found 3] the number of characters of all labels together is limited, and equal series count once', async () => {
  const metrics = new HookMetrics(OWN);
  const long = 'x'.repeat(1_000);
  const labels = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`l${at}`, long]));
  const pods = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ name: 'pod', set: 1, group: 'pods', labels: { ...labels, pod: `${from + at}` } },
    }));
  const small = { name: 'small', set: 1 };

  const fits = await report(metrics, 'a.sh', ...pods(0, 800), ...pods(0, 200));
  const beyond = await report(metrics, 'a.sh', ...pods(0, 900));
  const others = await report(metrics, 'b.sh', small);

  expect(fits).toBeUndefined();
  expect(beyond).toContain('more than 8000000 characters of labels');
  expect(others).toBeUndefined();
});

test('[found 3] the runner replaces the value that a hook sets for the label `hook`, and there is no second series', async () => {
  const metrics = new HookMetrics(OWN);

  await report(
    metrics,
    'a.sh',
    { name: 'ripe', set: 1, labels: { hook: 'forged' } },
    { name: 'ripe', set: 2 },
  );

  expect(await samples(metrics)).toEqual(['ripe{hook="a.sh"} 2']);
});
