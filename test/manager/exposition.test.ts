import { describe, expect, test } from 'vitest';
import {
  formatExposition,
  formatNumber,
  type MetricFamily,
} from '../../operator/manager/metrics/exposition.ts';
import { preferredFormat } from '../../operator/manager/metrics/port.ts';
import { parsedExposition } from '../support/parsed-exposition.ts';

const family = (more: Partial<MetricFamily>): MetricFamily => ({
  name: 'requests_total',
  type: 'counter',
  help: 'Requests',
  samples: [{ name: 'requests_total', labels: { code: '200' }, value: 3 }],
  ...more,
});

const latency = family({
  name: 'latency_seconds',
  type: 'histogram',
  help: 'How long',
  samples: [
    { name: 'latency_seconds_bucket', labels: { le: 1e-8 }, value: 1 },
    { name: 'latency_seconds_bucket', labels: { le: 2 }, value: 4 },
    { name: 'latency_seconds_bucket', labels: { le: '+Inf' }, value: 5 },
    { name: 'latency_seconds_sum', labels: {}, value: 7.5 },
    { name: 'latency_seconds_count', labels: {}, value: 5 },
  ],
});

describe('formatExposition', () => {
  test('[X-1] formatExposition writes the text format 0.0.4, families ordered by name', () => {
    const text = formatExposition([family({}), latency], 'text');

    expect(text).toBe(
      '# HELP latency_seconds How long\n# TYPE latency_seconds histogram\n' +
        'latency_seconds_bucket{le="1e-08"} 1\nlatency_seconds_bucket{le="2"} 4\n' +
        'latency_seconds_bucket{le="+Inf"} 5\nlatency_seconds_sum 7.5\nlatency_seconds_count 5\n' +
        '# HELP requests_total Requests\n# TYPE requests_total counter\n' +
        'requests_total{code="200"} 3\n',
    );
  });

  test('[X-1] formatExposition writes OpenMetrics: counters without _total, bounds with a point, an EOF line', () => {
    const text = formatExposition([family({}), latency], 'openmetrics');

    expect(text).toBe(
      '# HELP latency_seconds How long\n# TYPE latency_seconds histogram\n' +
        'latency_seconds_bucket{le="1e-08"} 1\nlatency_seconds_bucket{le="2.0"} 4\n' +
        'latency_seconds_bucket{le="+Inf"} 5\nlatency_seconds_sum 7.5\nlatency_seconds_count 5\n' +
        '# HELP requests Requests\n# TYPE requests counter\n' +
        'requests_total{code="200"} 3\n# EOF\n',
    );
  });

  test.each([
    'text',
    'openmetrics',
  ] as const)('%s can be parsed again, whatever a label or a help text contains', (format) => {
    const hostile = 'a "quote", a \\ and\na new line}';
    const samples = [{ name: 'requests_total', labels: { code: hostile }, value: 1 }];

    const text = formatExposition([family({ help: hostile, samples })], format);

    const read = [...parsedExposition(text, format).values()][0];
    expect(read?.samples[0]?.labels).toEqual({ code: hostile });
    expect(read?.help).toContain('\\\\ and\\na new line');
  });
});

test.each([
  [0, '0'],
  [1, '1'],
  [-2.5, '-2.5'],
  [10e-9, '1e-08'],
  [9.999999999999999e-6, '9.999999999999999e-06'],
  [0.00005, '5e-05'],
  [0.0001, '0.0001'],
  [16777216, '16777216'],
  [1e21, '1e+21'],
  [1e-300, '1e-300'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
])('[X-1] the number %d is formatted as Go formats it: %s', (value, expected) => {
  expect(formatNumber(value)).toBe(expected);
});

const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,' +
  'application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,' +
  'text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

test.each([
  [undefined, 'text'],
  ['', 'text'],
  ['*/*', 'text'],
  ['text/plain', 'text'],
  ['application/json', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  ['Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8', 'openmetrics'],
  ['application/openmetrics-text;version=0.0.1', 'text'],
  ['application/openmetrics-text;version=2.0.0', 'text'],
  ['application/openmetrics-text;q=0', 'text'],
  ['application/openmetrics-text;q=nonsense', 'text'],
  ['application/openmetrics-text;q=0.3,text/plain;version=0.0.4;q=0.8', 'text'],
  ['application/openmetrics-text;q=0.8,text/plain;version=0.0.4;q=0.3', 'openmetrics'],
  [PROMETHEUS_3, 'openmetrics'],
  [';;,,;q=,', 'text'],
])('[X-1] the Accept header %j selects the format %s', (accept, expected) => {
  expect(preferredFormat(accept)).toBe(expected);
});
