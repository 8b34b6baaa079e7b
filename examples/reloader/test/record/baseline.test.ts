import { expect, test } from 'vitest';
import { BASELINE, formatBaseline, readBaseline } from '../../record/baseline.ts';
import { BaselineMemory } from '../../record/baseline-memory.ts';

test('the keys of the annotation are sorted, and nothing to record is no annotation', () => {
  expect(formatBaseline({ 'secret/b': '', 'configmap/a': 'h' })).toBe(
    '{"configmap/a":"h","secret/b":""}',
  );
  expect(formatBaseline({})).toBeNull();
});

test.each(['', 'null', '[]', '"text"', '{', '7'])('%j is no baseline', (text) => {
  expect(readBaseline({ [BASELINE]: text })).toEqual({});
});

test('entries that the operator does not write are left out', () => {
  const text = JSON.stringify({
    'configmap/a': 'h',
    'pod/a': 'h',
    'secret/b': 7,
    'secret/c': 'x'.repeat(600),
  });
  expect(readBaseline({ [BASELINE]: text })).toEqual({ 'configmap/a': 'h' });
});

test('[reloader R15] a baseline that is taken away again and again is told, and written less and less often', () => {
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

test('what was written for a workload says nothing about another one of its name', () => {
  const memory = new BaselineMemory();
  const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'w', uid: 'u' } };
  memory.wrote('w', workload, '{"configmap/a":"h"}', 0);

  expect(memory.of('w', { ...workload, metadata: { name: 'w', uid: 'v' } })).toEqual({});
});
