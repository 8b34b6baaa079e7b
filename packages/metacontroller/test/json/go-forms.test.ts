import { expect, test } from 'vitest';
import { goJson } from '../../../../operator/core/go/go-json.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { goDurationText } from '../../src/json/go-duration-text.ts';
import { hookRequests } from '../../src/json/hook-request.ts';
import { orchards, parent, plan, TYPES } from './orchards.ts';

test.each([
  ['4611686018427387904', 2n ** 62n],
  ['0', -0],
  ['100000000000000000000', 1e20],
  ['0.000001', 0.000001],
  ['"\ufffd"', '\ud800'],
  ['"\\b\\f\\n\\r\\t\\u001f"', '\b\f\n\r\t\u001f'],
  ['{"B":[null],"b":1}', { b: 1, a: undefined, B: [undefined] }],
  // Go orders by bytes of UTF-8: U+FF5E before U+1F600, which is a surrogate pair.
  ['{"～":2,"😀":1}', { '😀': 1, '～': 2 }],
  [
    '{"10":1,"9":2,"__proto__":{"b":1}}',
    JSON.parse('{"__proto__": {"b": 1}, "10": 1, "9": 2}') as unknown,
  ],
])('[contract 2] a number or string is written as %s, as Go does', (text, value) => {
  expect(goJson(value)).toBe(text);
});

test('a value can be written even if it is nested more deeply than the call stack', () => {
  let value: unknown = { z: '<', a: 1n };
  for (let level = 0; level < 20_000; level++) value = [value];

  expect(goJson(value)).toBe(`${'['.repeat(20_000)}{"a":1,"z":"\\u003c"}${']'.repeat(20_000)}`);
});

test.each([
  ['10s', '10s'],
  ['90s', '1m30s'],
  ['0.5s', '500ms'],
  ['1500ms', '1.5s'],
  ['1h', '1h0m0s'],
  ['24h0m1.5s', '24h0m1.5s'],
  ['0', '0s'],
  ['-.5m', '-30s'],
  ['+2us', '2µs'],
  ['1.5µs', '1.5µs'],
  ['100ns', '100ns'],
  ['10', undefined],
  ['', undefined],
  ['ten', undefined],
  ['1s ', undefined],
])('the duration %j is parsed as %j, as in Go', (given, text) => {
  expect(goDurationText(given)).toBe(text);
});

test('[contract 2] [contract 27] the fields of a CompositeController are written in the order of its Go types', async () => {
  const hook = { webhook: { url: 'u' }, version: 'v1' };
  const object = {
    ...orchards('v1'),
    metadata: { labels: { b: '2', a: '<' }, generation: 0, name: 'all' },
    spec: {
      resyncPeriodSeconds: 0,
      generateSelector: false,
      hooks: { postUpdateChild: hook, finalize: hook, sync: {}, customize: hook },
      childResources: [
        {
          updateStrategy: {
            statusChecks: { conditions: [{ reason: 'R', status: 'True', type: 'Ready' }] },
            method: '',
          },
          apiVersion: 'v1',
        },
        { updateStrategy: {}, apiVersion: 'v1', resource: 'pods' },
      ],
      parentResource: {
        revisionHistory: { fieldPaths: [] },
        labelSelector: { matchExpressions: [{ values: ['b', 'a'], operator: 'In', key: 'k' }] },
        resource: 'orchards',
        apiVersion: 'v1',
        ignoreStatusChanges: true,
      },
    },
    status: { conditions: [] },
  } as KubernetesObject;
  const requests = hookRequests(
    { kind: 'CompositeController', object },
    { version: 'v1', managedFields: true },
  );

  const text = await requests.customize(plan).text();

  const written = '{"version":"v1","webhook":{"url":"u"}}';
  expect(text.slice('{"controller":'.length, text.indexOf(',"parent":'))).toBe(
    [
      '{"kind":"CompositeController","apiVersion":"metacontroller.k8s.io/v1alpha1"',
      ',"metadata":{"name":"all","labels":{"a":"\\u003c","b":"2"}}',
      ',"spec":{"parentResource":{"apiVersion":"v1","resource":"orchards","revisionHistory":{}',
      ',"labelSelector":{"matchExpressions":[{"key":"k","operator":"In","values":["b","a"]}]}',
      ',"ignoreStatusChanges":true}',
      ',"childResources":[{"apiVersion":"v1","resource":"","updateStrategy":{"statusChecks":',
      '{"conditions":[{"type":"Ready","status":"True","reason":"R"}]}}}',
      ',{"apiVersion":"v1","resource":"pods","updateStrategy":{"statusChecks":{}}}]',
      `,"hooks":{"customize":${written},"sync":{},"finalize":${written},"postUpdateChild":${written}}`,
      ',"resyncPeriodSeconds":0,"generateSelector":false},"status":{}}',
    ].join(''),
  );
});

test('[metacontroller M19] the event loop keeps turning while 10,000 children are written', async () => {
  const objects = Array.from(
    { length: 10_000 },
    (_, index): KubernetesObject => ({
      ...plan,
      metadata: { ...plan.metadata, name: `plan-${index}` },
    }),
  );
  const spec = { kind: 'CompositeController', object: orchards('v2') } as const;
  const children = [{ resource: TYPES.configMaps, objects }];
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);

  const requests = hookRequests(spec, { version: 'v2', managedFields: true });
  const text = await requests.sync({ parent, children, related: [], finalizing: false }).text();
  isDone = true;

  expect(text.split('"north-press"').length).toBe(1);
  expect(text.split('"kind":"ConfigMap"')).toHaveLength(10_001);
  // About 8 MB, of which one turn writes a quarter of one.
  expect(turns).toBeGreaterThan(20);
});
