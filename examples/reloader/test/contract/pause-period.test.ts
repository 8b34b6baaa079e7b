/** Where the pause period of a Deployment is read, and what it accepts. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS as KEYS } from '../../contract/annotations.ts';
import { pausePeriodOf } from '../../contract/pause-period.ts';

const pause = (text: string): Record<string, string> => ({ [KEYS.pausePeriod]: text });

describe('the pause period', () => {
  test.each([
    ['5s', 5_000],
    ['1h30m', 5_400_000],
    ['0', 0],
    ['.5m', 30_000],
  ])('the pause period %s means %i milliseconds', (text, periodMs) => {
    const workload = { annotations: pause(text), templateAnnotations: {} };

    expect(pausePeriodOf(workload, KEYS)).toEqual({ periodMs });
  });

  test.each([
    '5',
    '-5s',
    'soon',
    '367d',
    '8785h',
    '1e3s',
  ])('the pause period %j is reported as a problem', (text) => {
    const workload = { annotations: pause(text), templateAnnotations: {} };

    expect(pausePeriodOf(workload, KEYS)).toEqual({
      problem: {
        annotation: KEYS.pausePeriod,
        message: `must be a duration such as 90s, 5m or 1h30m, from 0s to 8784h, not ${JSON.stringify(text)}`,
      },
    });
  });

  test('a missing or empty annotation means no pause period', () => {
    for (const annotations of [{}, pause('')]) {
      expect(pausePeriodOf({ annotations, templateAnnotations: {} }, KEYS)).toBeUndefined();
    }
  });

  test('[reloader 5] a pause period on the Pod template takes effect if the metadata has no annotation for reloads', () => {
    expect(pausePeriodOf({ annotations: {}, templateAnnotations: pause('5s') }, KEYS)).toEqual({
      periodMs: 5_000,
    });
  });

  test.each([
    KEYS.auto,
    KEYS.search,
    KEYS.reload.SECRET,
    KEYS.typedAuto.CONFIGMAP,
  ])('[reloader 5] a pause period on the Pod template has no effect if the metadata has %s', (key) => {
    const workload = { annotations: { [key]: '' }, templateAnnotations: pause('5s') };

    expect(pausePeriodOf(workload, KEYS)).toBeUndefined();
  });

  test('the pause period of the metadata outranks the pause period of the Pod template', () => {
    const workload = { annotations: pause('1s'), templateAnnotations: pause('5s') };

    expect(pausePeriodOf(workload, KEYS)).toEqual({ periodMs: 1_000 });
  });
});
