import { configMap } from '@chancery/testing';
import { expect, test } from 'vitest';
import { DryRunReport } from '../../operator/cli/run/dry-run-report.ts';
import type { DryWrite } from '../../operator/client/interceptors/dry-run.ts';
import { configMaps, pods } from '../../operator/model/builtin.ts';
import { ApiError } from '../../operator/model/status.ts';
import { Collector } from './collector.ts';

const target = { namespace: 'demo', name: 'a' };
const WRITE: DryWrite = {
  verb: 'update',
  resource: configMaps,
  target,
  before: configMap('a', { namespace: 'demo', data: { value: '1' } }),
  after: configMap('a', { namespace: 'demo', data: { value: '2' } }),
};

function reported(write: DryWrite, colour = false): readonly string[] {
  const out = new Collector();
  new DryRunReport({ out, colour }).sinkOf('shop').wrote(write);
  return out.lines;
}

const ESCAPE = String.fromCharCode(27);

test('on a terminal, removed lines are red and added lines are green', () => {
  const lines = reported(WRITE, true);

  expect(lines).toContain(`${ESCAPE}[31m-  value: "1"${ESCAPE}[39m`);
  expect(lines).toContain(`${ESCAPE}[32m+  value: "2"${ESCAPE}[39m`);
  expect(reported(WRITE).join('\n')).not.toContain(ESCAPE);
});

test('control characters in a message from the API server do not reach the terminal', () => {
  const message = `no${ESCAPE}[2J\r\nway`;
  const refusal = new ApiError({ reason: 'Invalid', message }, { httpStatus: 422 });

  const lines = reported({ ...WRITE, after: undefined, refusal });

  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^# refused: update configmaps demo\/a by shop: .*no \[2J way/);
});

test('if the current state of the object cannot be read, the report says so and shows the write', () => {
  const message = 'configmaps is forbidden';
  const unread = new ApiError({ reason: 'Forbidden', message }, { httpStatus: 403 });

  const lines = reported({ ...WRITE, before: undefined, unread });

  expect(lines[1]).toMatch(/^# as it is now cannot be read: .*configmaps is forbidden/);
  expect(lines).toContain('+  value: "2"');
});

test('the response of a subresource such as `token` is not shown, because it may contain a secret', () => {
  const after = {
    apiVersion: 'v1',
    kind: 'TokenRequest',
    metadata: target,
    status: { token: 'x' },
  };

  const lines = reported({ ...WRITE, verb: 'create', resource: pods, subresource: 'token', after });

  expect(lines).toEqual(['# create pods/token demo/a by shop']);
});

test('the report shortens a very long line', () => {
  const long = configMap('a', { namespace: 'demo', data: { value: 'x'.repeat(10_000) } });

  const lines = reported({ ...WRITE, after: long });

  expect(lines.at(-1)).toMatch(/^\+ {2}value: x+… \(10010 characters\)$/);
});

test('[attack A-1] the report says which object is nested too deeply to be shown, and shows the other objects', () => {
  const out = new Collector();
  const sink = new DryRunReport({ out, colour: false }).sinkOf('shop');
  const depth = 100_000;
  const nested = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
  const after = { ...configMap('a', { namespace: 'demo' }), data: nested };

  sink.wrote({ ...WRITE, after });
  sink.wrote(WRITE);

  expect(out.lines.slice(0, 4)).toEqual([
    '# update configmaps demo/a by shop',
    '--- configmaps demo/a',
    '+++ configmaps demo/a',
    '# cannot be shown: the object is nested too deeply',
  ]);
  expect(out.lines).toContain('+  value: "2"');
});

test('the report shows later changes of an object under the name that the server generated', () => {
  const named = { namespace: 'demo', name: 'web-x7k2p', generateName: 'web-' };
  const pod = (phase: string) =>
    ({ apiVersion: 'v1', kind: 'Pod', metadata: { ...named, labels: { phase } } }) as const;

  const lines = reported({
    verb: 'update',
    resource: pods,
    target: named,
    before: pod('old'),
    after: pod('new'),
  });

  expect(lines).toContain('   name: web-x7k2p');
  expect(lines.join('\n')).not.toContain('web-*');
});
