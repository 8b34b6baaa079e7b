import { crashPoints } from '@chancery/testing';
import { expect } from 'vitest';
import { crashScenario, type Sample } from './sample.ts';

/** Many runs of less than a second each, and more on a busy machine. */
export const EVERY_PLACE = { timeout: 600_000 } as const;

/**
 * Kills the operator of `sample` in this process, at every place.
 *
 * @param calls - as `verb resource` or `verb resource/subresource`: at each of them it must have been
 *   killed, before and after.
 */
export async function expectSameEnd(sample: Sample, calls: readonly string[]): Promise<void> {
  const points = await crashPoints(crashScenario(sample, 'in process'));

  const places = new Set(
    points.map(({ when, call: { verb, resource, subresource } }) => {
      const what = subresource === undefined ? resource : `${resource}/${subresource}`;
      return `${when} ${verb} ${what}`;
    }),
  );
  const wanted = calls.flatMap((call) => [`before ${call}`, `after ${call}`]);
  expect(wanted.filter((place) => !places.has(place))).toEqual([]);
}
