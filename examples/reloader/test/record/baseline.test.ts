import { expect, test } from 'vitest';
import { BASELINE, formatBaseline, readBaseline } from '../../record/baseline.ts';
import { BaselineMemory } from '../../record/baseline-memory.ts';

test('the baseline annotation has sorted keys, and for an empty baseline there is no annotation', () => {
  expect(formatBaseline({ 'secret/b': '', 'configmap/a': 'h' })).toBe(
    '{"configmap/a":"h","secret/b":""}',
  );
  expect(formatBaseline({})).toBeNull();
});

test.each(['', 'null', '[]', '"text"', '{', '7'])('%j is read as an empty baseline', (text) => {
  expect(readBaseline({ [BASELINE]: text })).toEqual({});
});

test('entries of a baseline that the operator never writes are ignored', () => {
  const text = JSON.stringify({
    'configmap/a': 'h',
    'pod/a': 'h',
    'secret/b': 7,
    'secret/c': 'x'.repeat(600),
  });
  expect(readBaseline({ [BASELINE]: text })).toEqual({ 'configmap/a': 'h' });
});

test('[reloader R15] a baseline that is removed again and again is reported, and written less and less often', () => {
  const memory = new BaselineMemory();
  const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'w', uid: 'u' } };
  const told: unknown[] = [];
  const waits: number[] = [];
  let nowMs = 0;
  for (let round = 0; round < 16; round++) {
    const leftMs = Math.max(0, memory.leftMs('w', '{"configmap/a":"h"}', nowMs));
    waits.push(leftMs);
    nowMs += leftMs;
    told.push(memory.wrote('w', workload, '{"configmap/a":"h"}', nowMs));
  }

  expect(told.slice(0, 4)).toEqual([undefined, undefined, undefined, 3]);
  expect(waits.slice(0, 6)).toEqual([0, 0, 0, 1_000, 2_000, 4_000]);
  expect(Math.max(...waits)).toBe(3_600_000);
  expect(memory.of('w', workload)).toEqual({ 'configmap/a': 'h' });
  expect(memory.leftMs('w', '{"configmap/a":"other"}', nowMs)).toBe(0);
});

test('the remembered baseline of a workload does not apply to a new workload with the same name', () => {
  const memory = new BaselineMemory();
  const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'w', uid: 'u' } };
  memory.wrote('w', workload, '{"configmap/a":"h"}', 0);

  expect(memory.of('w', { ...workload, metadata: { name: 'w', uid: 'v' } })).toEqual({});
});
