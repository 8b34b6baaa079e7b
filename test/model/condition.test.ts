import { describe, expect, test } from 'vitest';
import {
  type Condition,
  findCondition,
  isConditionTrue,
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
  test('setCondition adds a new type last, with the current time', () => {
    const result = setCondition([condition('First')], wanted('Second'), NOW_MS);

    expect(result).toEqual([condition('First'), condition('Second', { lastTransitionTime: NOW })]);
  });

  test('setCondition sets the first condition of an object without conditions', () => {
    expect(setCondition([], wanted('A'), NOW_MS)).toEqual([
      condition('A', { lastTransitionTime: NOW }),
    ]);
  });

  test('[K-51] setCondition changes the transition time when the status changes, and keeps the order', () => {
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
  ])('[K-51] if only the %s changes, the transition time stays', (_field, change) => {
    const result = setCondition([condition('A')], wanted('A', change), NOW_MS);

    expect(result).toEqual([condition('A', change)]);
  });

  test('setCondition removes an observedGeneration that is no longer given', () => {
    const before = [condition('A', { observedGeneration: 1 })];

    expect(setCondition(before, wanted('A'), NOW_MS)).toEqual([condition('A')]);
  });

  test('[K-51] setCondition returns the same array when nothing changes', () => {
    const before = [condition('A', { observedGeneration: 1 }), condition('B')];

    expect(setCondition(before, wanted('A', { observedGeneration: 1 }), NOW_MS)).toBe(before);
  });

  test('setCondition does not change its arguments', () => {
    const before = Object.freeze([Object.freeze(condition('A'))]);

    setCondition(before, wanted('A', { status: 'Unknown' }), NOW_MS);

    expect(before).toEqual([condition('A')]);
  });
});

describe('[K-51] setCondition', () => {
  test('setCondition takes the time of a change from its caller', () => {
    const given = {
      ...wanted('A', { status: 'False' }),
      lastTransitionTime: '2026-02-02T00:00:00Z',
    };

    const changed = setCondition([condition('A')], given, NOW_MS);
    const same = setCondition([condition('A')], { ...given, status: 'True' }, NOW_MS);

    expect(changed).toEqual([{ ...condition('A'), ...given }]);
    expect(same).toEqual([condition('A')]);
  });

  test.each<[string, Partial<Condition>]>([
    ['a type with a space', { type: 'not one' }],
    ['an empty type', { type: '' }],
    ['a type with an empty prefix', { type: '/Ready' }],
    ['a type of 317 characters', { type: 'A'.repeat(317) }],
    ['an unknown status', { status: 'Yes' as 'True' }],
    ['an empty reason', { reason: '' }],
    ['a reason with a space', { reason: 'Two Words' }],
    ['a reason that begins with a digit', { reason: '1st' }],
    ['a reason that ends with a colon', { reason: 'Error:' }],
    ['a reason of 1025 characters', { reason: 'A'.repeat(1_025) }],
    ['a message of 32769 characters', { message: 'x'.repeat(32_769) }],
    ['no message', { message: undefined as unknown as string }],
  ])('setCondition refuses %s, as the API server would', (_, bad) => {
    const setting = () => setCondition([], wanted('A', bad), NOW_MS);

    expect(setting).toThrow(expect.objectContaining({ code: 'USER_CODE', layer: 'user-code' }));
  });

  test.each<[string, Partial<Condition>]>([
    ['a type with a prefix', { type: 'example.dev/Ready' }],
    ['a type of 316 characters', { type: 'A'.repeat(316) }],
    ['a reason of one letter', { reason: 'A' }],
    ['a reason with punctuation', { reason: 'Error:Code_1,b' }],
    ['a reason of 1024 characters', { reason: 'A'.repeat(1_024) }],
    ['an empty message', { message: '' }],
    ['a message of 32768 emoji', { message: '🙂'.repeat(32_768) }],
  ])('setCondition accepts %s', (_, good) => {
    expect(setCondition([], wanted('A', good), NOW_MS)).toMatchObject([{ ...good }]);
  });
});

describe('[K-51] conditions', () => {
  const all = [
    condition('A'),
    condition('B', { status: 'False' }),
    condition('C', { status: 'Unknown' }),
  ];

  test('findCondition finds by type, and isConditionTrue is true only for the status True', () => {
    expect(findCondition(all, 'B')).toBe(all[1]);
    expect(findCondition(undefined, 'B')).toBeUndefined();
    expect(['A', 'B', 'C', 'D'].map((type) => isConditionTrue(all, type))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('times', () => {
  test.each([
    [0, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z'],
    [NOW_MS, NOW, '2026-06-01T12:30:15.987000Z'],
    [NOW_MS + 0.75, NOW, '2026-06-01T12:30:15.987000Z'],
    [Date.UTC(2026, 0, 1), '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000Z'],
  ])('%d ms are formatted with whole seconds or exactly six digits', (ms, seconds, micros) => {
    expect(rfc3339(ms)).toBe(seconds);
    expect(rfc3339Micro(ms)).toBe(micros);
  });
});
