import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METACONTROLLER_METRICS } from '../../src/supervisor/metric-names.ts';
import { SUPERVISOR_METRICS } from '../../src/supervisor/supervisor-metrics.ts';

test('every metric is collected', () => {
  const collected = SUPERVISOR_METRICS.map(({ name }) => name);

  expect(collected.toSorted()).toEqual(Object.values(METACONTROLLER_METRICS).toSorted());
});

test('docs/guides/write/metacontroller.md lists the metrics as they are', () => {
  const page = readFileSync(
    new URL('../../../../docs/guides/write/metacontroller.md', import.meta.url),
    'utf8',
  );
  const row = /^\| `(metacontroller_\w+)` \| (\w+) \| (.*?) \| (.*?) \|$/gm;
  const documented = [...page.matchAll(row)].map((match) => [...match.slice(1)]);

  const expected = SUPERVISOR_METRICS.map(({ name, type, labels, help }) => [
    name,
    type,
    labels.map((label) => `\`${label}\``).join(' '),
    help,
  ]);
  expect(documented).toEqual(expected);
});
