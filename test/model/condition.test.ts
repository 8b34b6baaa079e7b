import { describe, expect, test } from 'vitest';
import {
  type Condition,
  rfc3339,
  rfc3339Micro,
  setCondition,
} from '../../operator/model/condition.ts';

const EARLIER = '2026-01-01T00:00:00Z';
const NOW_MS = Date.UTC(2026, 5, 1, 12, 30, 15, 987);
const NOW = '2026-06-01T12:30:15Z';

function condition(type: string, more: Partial<Condition> = {}): Condition {
  const base = { status: 'True', reason: 'Reason', message: 'message' } as const;
  return { type, ...base, lastTransitionTime: EARLIER, ...more };
}

function wanted(
  type: string,
  more: Partial<Condition> = {},
): Omit<Condition, 'lastTransitionTime'> {
  const { lastTransitionTime: _, ...rest } = condition(type, more);
  return rest;
}

describe('setCondition', () => {
  test('puts a new type last, with the time of now', () => {
    const result = setCondition([condition('First')], wanted('Second'), NOW_MS);

    expect(result).toEqual([condition('First'), condition('Second', { lastTransitionTime: NOW })]);
  });

  test('sets the first condition of an object that has none', () => {
    expect(setCondition([], wanted('A'), NOW_MS)).toEqual([
      condition('A', { lastTransitionTime: NOW }),
    ]);
  });

  test('moves the transition time when the status changes, and keeps the order', () => {
    const before = [condition('A'), condition('B'), condition('C')];

    const result = setCondition(before, wanted('B', { status: 'False', reason: 'Other' }), NOW_MS);

    expect(result).toEqual([
      condition('A'),
      condition('B', { status: 'False', reason: 'Other', lastTransitionTime: NOW }),
      condition('C'),
    ]);
  });

  test.each<[string, Partial<Condition>]>([
    ['reason', { reason: 'Other' }],
    ['message', { message: 'other' }],
    ['observedGeneration', { observedGeneration: 2 }],
  ])('a change of only the %s keeps the transition time', (_field, change) => {
    const result = setCondition([condition('A')], wanted('A', change), NOW_MS);

    expect(result).toEqual([condition('A', change)]);
  });

  test('an observedGeneration that is no longer given goes away', () => {
    const before = [condition('A', { observedGeneration: 1 })];

    expect(setCondition(before, wanted('A'), NOW_MS)).toEqual([condition('A')]);
  });

  test('answers with the very same array when nothing changes', () => {
    const before = [condition('A', { observedGeneration: 1 }), condition('B')];

    expect(setCondition(before, wanted('A', { observedGeneration: 1 }), NOW_MS)).toBe(before);
  });

  test('does not change what it was given', () => {
    const before = Object.freeze([Object.freeze(condition('A'))]);

    setCondition(before, wanted('A', { status: 'Unknown' }), NOW_MS);

    expect(before).toEqual([condition('A')]);
  });
});

describe('times', () => {
  test.each([
    [0, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z'],
    [NOW_MS, NOW, '2026-06-01T12:30:15.987000Z'],
    [NOW_MS + 0.75, NOW, '2026-06-01T12:30:15.987000Z'],
    [Date.UTC(2026, 0, 1), '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000Z'],
  ])('%d ms have whole seconds or exactly six digits', (ms, seconds, micros) => {
    expect(rfc3339(ms)).toBe(seconds);
    expect(rfc3339Micro(ms)).toBe(micros);
  });
});
